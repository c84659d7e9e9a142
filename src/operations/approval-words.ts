import { visible, visibleLine } from '../kernel/visible.ts'
import { wrap } from '../kernel/wrap.ts'
import type { Approval, KeptRule, Remember } from '../runs/approval.ts'
import { shortId } from '../runs/approval-table.ts'
import { ruleWords } from './rule-words.ts'

/** What an ask is about, in one line. */
export function targetOf({ tool, operation }: Pick<Approval, 'tool' | 'operation'>): string {
  const { command, paths, url, tool: foreign } = operation as { command?: string; paths?: { path: string }[]; url?: string; tool?: string }
  return visibleLine(`${tool} ${command ?? url ?? foreign ?? (paths ?? []).map(({ path }) => path).join(', ')}`)
}

/** Everything that a person should see before they answer: what, why, what would hold, and what could be allowed for longer. */
export function askText(approval: Approval, width = Number.POSITIVE_INFINITY): string {
  const { asked, rule, preview, walls } = approval
  const [exact, wider] = keptFor(approval)
  const words = (text: string): string => `  ${wrap(text, width - 4, '    ')}`
  const ruleLine = (rule: KeptRule): string => `    ${wrap(visibleLine(ruleWords(rule)), width - 6, '      ')}`
  return [
    // What is asked about is shown as it is; a terminal breaks it where it must.
    targetOf(approval),
    words(`why: ${visibleLine(asked)} (${rule})`),
    ...(walls === '' ? [] : [words(`around it: ${visibleLine(walls)}`)]),
    ...(preview === null
      ? []
      : visible(preview)
          .split('\n')
          .map(line => `  | ${line}`)),
    ...(exact ? [words(`r, p: allowed from now on, in this run or in this project (${exact.file}):`), ...exact.rules.map(ruleLine)] : []),
    ...(wider ? [words(`R, P: allowed from now on${alsoText(wider.would_newly_allow ?? [])}:`), ...wider.rules.map(ruleLine)] : []),
  ].join('\n')
}

/** The question that is put to a person at a terminal. */
export function askPrompt(approval: Approval, width = Number.POSITIVE_INFINITY): string {
  const offered = approval.offers.filter(({ answer }) => answer === 'run').length
  const kept = offered === 0 ? '' : ', for this [r]un, always in this [p]roject'
  const wide = offered > 1 ? ' (R, P: the wider rule)' : ''
  const rules = offered === 0 ? '' : ', [?] the exact rules'
  const question = wrap(`Allow it? [o]nce${kept}${wide}${rules}, [N]o:`, width - 2, '  ')
  return `${askText(approval, width)}\n${question} `
}

/** P-57: the rules as they would be kept, with their file. */
export function rulesText(approval: Approval): string {
  const answers = ['r, p', 'R, P']
  return keptFor(approval)
    .flatMap(({ file, rules }, i) => [`${answers[i]} (${file}):`, ...rules.map(rule => `  ${visibleLine(JSON.stringify(rule))}`)])
    .join('\n')
}

/** The exact rules first, then the wider ones where there are any. */
function keptFor({ offers }: Approval): { file: string; rules: KeptRule[]; would_newly_allow?: string[] | undefined }[] {
  return offers.flatMap(({ answer, file = '', rules = [], would_newly_allow }) =>
    answer === 'project' ? [{ file, rules, would_newly_allow }] : [],
  )
}

export type Said = { wants: 'rules' } | { allowed: true; remember: Remember; wider: boolean } | { allowed: false; reason: string }

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

/** What a person typed. Whatever is neither a yes nor a question is a no; words after it are its reason. */
export function readAnswer(line: string): Said {
  const said = line.trim()
  if (said === '?') return { wants: 'rules' }
  const yes = Object.hasOwn(YES, said) ? YES[said] : undefined
  return yes ? { allowed: true, ...yes } : { allowed: false, reason: said.replace(/^no?\b[\s:,]*/i, '') }
}

/** How another process answers it. */
export function answerCommands({ id }: Approval): string {
  return `qed approve ${shortId(id)}, or qed reject ${shortId(id)} "<why>"`
}

function alsoText(commands: string[]): string {
  return commands.length === 0 ? '' : `, which would also have let through ${commands.map(visibleLine).join(', ')}`
}
