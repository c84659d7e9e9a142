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

/** Instructions with what of them is sent. */
export interface KeptInstructions extends Instructions {
  shown: string
}

const MOST_TOKENS = 8_000

/** Those that fit: all, or else only the nearest, as far as it fits. */
export function keptInstructions(found: readonly Instructions[], countTokens: (text: string) => number): KeptInstructions[] {
  const total = found.reduce((sum, { text }) => sum + countTokens(text), 0)
  if (total <= MOST_TOKENS) return found.map(one => ({ ...one, shown: one.text }))
  return found.slice(-1).map(one => ({ ...one, shown: fitting(one.text, countTokens) }))
}

/** As much of a text as fits, up to the end of a line where it has one. */
function fitting(text: string, countTokens: (text: string) => number): string {
  if (countTokens(text) <= MOST_TOKENS) return text
  let least = 0
  let most = text.length
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (countTokens(text.slice(0, middle)) <= MOST_TOKENS) least = middle
    else most = middle - 1
  }
  const line = text.lastIndexOf('\n', least)
  return text.slice(0, line > 0 ? line : least)
}

/** The instructions as they stand in a system prompt: the nearer one stands last and wins. What does not fit is named. */
export function renderInstructions(found: readonly Instructions[], kept: readonly KeptInstructions[]): string {
  const left = found.length - kept.length
  const blocks = kept.map(one => `<instructions path="${one.path}">\n${one.shown.trim()}${restOf(one)}\n</instructions>`)
  return [
    ...(left > 0 ? [`(${left} outer instruction files were left out; read them if you need them.)`] : []),
    ...(blocks.length > 1 ? ['(Where they disagree, the last one counts.)'] : []),
    ...blocks,
  ].join('\n')
}

function restOf({ path, text, shown }: KeptInstructions): string {
  const left = text.length - shown.length
  return left === 0 ? '' : `\n(${left} more characters of ${path} were left out; read them if you need them.)`
}
