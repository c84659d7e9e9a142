import { dirname, join, relative } from 'node:path'

/** Instructions of a project, one text per folder, outermost first. */
export interface Instructions {
  path: string
  text: string
}

const NAMES = ['AGENTS.md', 'CLAUDE.md']

/** C-74: `AGENTS.md`, or `CLAUDE.md` where there is none, of every folder from the root down to the one of the task. */
export function findInstructions(root: string, folder: string, read: (path: string) => string | null): Instructions[] {
  return foldersBetween(root, folder).flatMap(at => {
    for (const name of NAMES) {
      const text = read(join(at, name))
      if (text !== null && text.trim() !== '') return [{ path: relative(root, join(at, name)), text }]
    }
    return []
  })
}

function foldersBetween(root: string, folder: string): string[] {
  const inside = relative(root, folder)
  if (inside === '' || inside.startsWith('..')) return [root]
  return [...foldersBetween(root, dirname(folder)), folder]
}

const MOST_TOKENS = 8_000

/** Those that fit: all, or else only the nearest. */
export function keptInstructions(found: readonly Instructions[], countTokens: (text: string) => number): Instructions[] {
  const total = found.reduce((sum, { text }) => sum + countTokens(text), 0)
  return total <= MOST_TOKENS ? [...found] : found.slice(-1)
}

/** The instructions as they stand in a system prompt: the nearer one stands last and wins. What does not fit is named. */
export function renderInstructions(found: readonly Instructions[], kept: readonly Instructions[]): string {
  const left = found.length - kept.length
  const blocks = kept.map(({ path, text }) => `<instructions path="${path}">\n${text.trim()}\n</instructions>`)
  return [...(left > 0 ? [`(${left} outer instruction files were left out; read them if you need them.)`] : []), ...blocks].join('\n')
}
