import { visible, visibleLine } from '../kernel/visible.ts'
import type { Approval, Remember } from '../runs/approval.ts'
import { shortId } from '../runs/approval-table.ts'

/** What an ask is about, in one line. */
export function targetOf({ tool, operation }: Pick<Approval, 'tool' | 'operation'>): string {
  const { command, paths, url, tool: foreign } = operation as { command?: string; paths?: { path: string }[]; url?: string; tool?: string }
  return visibleLine(`${tool} ${command ?? url ?? foreign ?? (paths ?? []).map(({ path }) => path).join(', ')}`)
}

/** Everything that a person should see before they answer: what, why, what would hold, and the exact rules that could be kept. */
export function askText(approval: Approval): string {
  const { asked, rule, preview, walls, offers } = approval
  const [exact, wider] = offers.filter(({ answer }) => answer === 'project')
  return [
    targetOf(approval),
    `  why: ${visibleLine(asked)} (${rule})`,
    ...(walls === '' ? [] : [`  around it: ${visibleLine(walls)}`]),
    ...(preview === null
      ? []
      : visible(preview)
          .split('\n')
          .map(line => `  | ${line}`)),
    ...(exact ? [`  for the run or the project (${exact.file}) is kept:`, ...rulesText(exact)] : []),
    ...(wider ? [`  by the wider answer is kept${alsoText(wider.would_newly_allow ?? [])}:`, ...rulesText(wider)] : []),
  ].join('\n')
}

/** The question that is put to a person at a terminal. */
export function askPrompt(approval: Approval): string {
  const offered = approval.offers.filter(({ answer }) => answer === 'run').length
  const kept = offered === 0 ? '' : ', for this [r]un, always in this [p]roject'
  const wide = offered > 1 ? ' (R, P: the wider rule)' : ''
  return `${askText(approval)}\nAllow it? [o]nce${kept}${wide}, [N]o: `
}

export type Said = { allowed: true; remember: Remember; wider: boolean } | { allowed: false; reason: string }

const YES: Record<string, { remember: Remember; wider: boolean }> = {
  o: { remember: 'once', wider: false },
  once: { remember: 'once', wider: false },
  y: { remember: 'once', wider: false },
  yes: { remember: 'once', wider: false },
  r: { remember: 'run', wider: false },
  run: { remember: 'run', wider: false },
  R: { remember: 'run', wider: true },
  p: { remember: 'project', wider: false },
  project: { remember: 'project', wider: false },
  P: { remember: 'project', wider: true },
}

/** What a person typed. Whatever is no yes is a no; words after it are its reason. */
export function readAnswer(line: string): Said {
  const said = line.trim()
  const yes = Object.hasOwn(YES, said) ? YES[said] : undefined
  return yes ? { allowed: true, ...yes } : { allowed: false, reason: said.replace(/^no?\b[\s:,]*/i, '') }
}

/** How another process answers it. */
export function answerCommands({ id }: Approval): string {
  return `qed approve ${shortId(id)}, or qed reject ${shortId(id)} "<why>"`
}

function rulesText({ rules = [] }: Approval['offers'][number]): string[] {
  return rules.map(rule => `    ${visibleLine(JSON.stringify(rule))}`)
}

function alsoText(commands: string[]): string {
  return commands.length === 0 ? '' : `, which would also have allowed ${commands.map(visibleLine).join(', ')}`
}
