import { applyEdit } from '../../src/text/edits/apply.ts'
import { planEdits } from '../../src/text/edits/plan.ts'
import { splitReply } from '../../src/text/edits/split.ts'
import type { EditError, EditInput } from '../../src/text/edits/types.ts'
import { matchStrings } from '../../src/text/patterns/match-strings.ts'
import type { Row, Verdict } from './score.ts'

interface Input {
  files?: Record<string, string>
  edit?: {
    path?: string
    old?: string
    new?: string
    all?: boolean
    replace_all?: boolean
    edits?: { old: string; new: string }[]
    /** One of these holds the text. */
    text?: string
    patch?: string
    diff?: string
    expr?: string
    replace?: string
  }
  text?: string
  pattern?: string
  string?: string
}

interface Expected {
  ok?: boolean
  files?: Record<string, string>
  absent?: string[]
  exact_tree?: boolean
  file_contains?: Record<string, string[]>
  edits?: ExpectedBlock[]
  match?: boolean | string
  found?: boolean
}

/** Some list the three texts, some name them; commands to run are no edits. */
type ExpectedBlock = [string, string, string] | { file: string; search: string; replace: string } | { shell: string }

/** Where QED's contract decides otherwise than the author of a case, and by which rule. */
const DECIDED: Record<string, string> = {
  'edit/aider-full:aider-full#4': 'E-44: a path line names the file; a base name is not looked up',
  'edit/cline-search-replace:cline-search-replace#6': 'E-24: at the level shift new lines take the indentation of the file',
  'edit/opencode-replacers-2025:opencode-replacers-2025#26': 'E-24: at the level shift new lines take the indentation of the file',
  'edit/codex-apply-patch-unit:codex-apply-patch-unit#10': 'E-34: no final line break is added',
  'edit/codex-apply-patch-unit:codex-apply-patch-unit#21': 'E-34: no final line break is added',
  'edit/opencode-apply-patch:opencode-apply-patch#8': 'E-34: no final line break is added',
  'edit/rummy-hedberg:rummy-hedberg#72': 'E-54: a sed command is no pattern',
  'edit/rummy-hedberg:rummy-hedberg#73': 'E-54: a sed command is no pattern',
}

type Result = { kind: 'files'; files: Map<string, string | null> } | { kind: 'refused'; error: EditError }

export function editScore(row: Row): Verdict {
  const judge = JUDGES[row.input.format]
  if (!judge) return { verdict: 'skipped', why: 'no such question' }
  const judged = judge(row.input as Input, row.expected)
  const rule = DECIDED[row.id]
  return judged.verdict === 'WRONG' && rule !== undefined ? { verdict: 'decided', why: rule } : judged
}

const JUDGES: Record<string, (input: Input, expected: Expected) => Verdict> = {
  search_replace: (input, expected) => judgeFiles(applyPairs(input), expected),
  sed: (input, expected) => judgeFiles(applySed(input), expected),
  unified_diff: (input, expected) => judgeFiles(applyText(input, 'udiff'), expected),
  apply_patch: (input, expected) => judgeFiles(plan(input, textOf(input)), expected),
  roo_search_replace_blocks: (input, expected) => judgeFiles(applyText(input, 'search_replace'), expected),
  cline_search_replace_blocks: (input, expected) => judgeFiles(applyText(input, 'search_replace'), expected),
  whole_file_reply: (input, expected) => judgeFiles(plan(input, textOf(input), 'whole'), expected),
  roo_search_replace_validate: (input, { ok }) => judgeReadable(textOf(input), ok, 'search_replace'),
  apply_patch_parse: (input, { ok }) => judgeReadable(textOf(input), ok, 'apply_patch'),
  unified_diff_parse: (input, { ok }) => judgeReadable(textOf(input), ok, 'udiff'),
  edit_blocks_parse: (input, expected) => judgeSplit(input.text ?? '', expected),
  pattern_match: ({ pattern = '', string = '' }, { match }) => judgePattern({ pattern, string, mode: 'path' }, match === true),
  pattern_search: ({ pattern = '', string = '' }, { found }) => judgePattern({ pattern, string, mode: 'text' }, found === true),
}

function applyPairs({ files = {}, edit = {} }: Input): Result {
  const path = edit.path ?? ''
  const pairs = edit.edits ?? [{ old: edit.old ?? '', new: edit.new ?? '' }]
  const all = edit.all ?? edit.replace_all ?? false
  return applied(files, path, { edit: pairs.map(pair => ({ search: pair.old, replace: pair.new, all })), original: files[path] ?? null })
}

function applySed({ files = {}, edit = {} }: Input): Result {
  const path = edit.path ?? ''
  return applied(files, path, { edit: `s/${edit.expr ?? ''}/${edit.replace ?? ''}/g`, original: files[path] ?? null })
}

function textOf({ edit = {} }: Input): string {
  return edit.text ?? edit.patch ?? edit.diff ?? ''
}

function applyText(input: Input, format: 'search_replace' | 'udiff'): Result {
  const { files = {} } = input
  const path = input.edit?.path ?? Object.keys(files)[0] ?? ''
  // Their path lines and headers name other files than the one they are applied to.
  return applied(files, path, { edit: textOf(input), original: files[path] ?? null, format })
}

function applied(files: Record<string, string>, path: string, input: EditInput): Result {
  const outcome = applyEdit(input)
  if (outcome.kind === 'refused') return outcome
  return { kind: 'files', files: new Map<string, string | null>(Object.entries(files)).set(path, outcome.value.content) }
}

function plan({ files = {} }: Input, edit: string, format?: 'whole'): Result {
  const outcome = planEdits({ edit, files, format })
  if (outcome.kind === 'refused') return outcome
  const after = new Map<string, string | null>(Object.entries(files))
  for (const { path, from, content } of outcome.value.changes) {
    if (from !== undefined) after.set(from, null)
    after.set(path, content)
  }
  return { kind: 'files', files: after }
}

function judgeFiles(result: Result, { ok, files = {}, absent = [], file_contains = {}, exact_tree }: Expected): Verdict {
  if (result.kind === 'refused')
    return ok ? { verdict: 'safe', why: `${result.error.code}: ${result.error.message}` } : { verdict: 'right' }
  if (!ok) return { verdict: 'WRONG', why: 'accepted what is to be refused' }
  const wrong =
    Object.entries(files).find(([path, content]) => result.files.get(path) !== content)?.[0] ??
    absent.find(path => (result.files.get(path) ?? null) !== null) ??
    Object.entries(file_contains).find(([path, parts]) => !parts.every(part => result.files.get(path)?.includes(part)))?.[0] ??
    (exact_tree ? [...result.files].find(([path, content]) => content !== null && !Object.hasOwn(files, path))?.[0] : undefined)
  return wrong === undefined ? { verdict: 'right' } : { verdict: 'WRONG', why: `${wrong} is ${JSON.stringify(result.files.get(wrong))}` }
}

/** Whether a text can be read at all; that its lines are found in a file is another question. */
function judgeReadable(text: string, ok: boolean | undefined, format: 'search_replace' | 'udiff' | 'apply_patch'): Verdict {
  const outcome = format === 'search_replace' ? applyEdit({ original: 'x\n', edit: text, format }) : splitReply({ text })
  const refused = outcome.kind === 'refused' && outcome.error.code === 'malformed' ? outcome.error.message : undefined
  const empty = outcome.kind === 'ok' && 'edits' in outcome.value && outcome.value.edits.length === 0 ? 'no edit found' : undefined
  const problem = refused ?? empty
  if (ok) return problem === undefined ? { verdict: 'right' } : { verdict: 'safe', why: problem }
  return problem === undefined ? { verdict: 'WRONG', why: 'read what is to be refused' } : { verdict: 'right' }
}

function judgeSplit(text: string, { ok, edits = [] }: Expected): Verdict {
  const outcome = splitReply({ text })
  if (outcome.kind === 'refused') return ok ? { verdict: 'safe', why: outcome.error.message } : { verdict: 'right' }
  if (!ok) return { verdict: 'WRONG', why: 'read what is to be refused' }
  const wanted = edits.flatMap(edit => (Array.isArray(edit) ? [edit] : 'shell' in edit ? [] : [[edit.file, edit.search, edit.replace]]))
  const got = outcome.value.edits.map(({ path, search, replace }) => [path, search, replace])
  if (JSON.stringify(got) === JSON.stringify(wanted)) return { verdict: 'right' }
  if (got.some(([path]) => path === null)) return { verdict: 'safe', why: 'a block without a path; edit.plan refuses it' }
  const first = got.findIndex((edit, i) => JSON.stringify(edit) !== JSON.stringify(wanted[i]))
  return {
    verdict: 'WRONG',
    why: `${got.length} edits for ${wanted.length}; ${JSON.stringify(got[first])} for ${JSON.stringify(wanted[first])}`,
  }
}

function judgePattern({ pattern, string, mode }: { pattern: string; string: string; mode: 'path' | 'text' }, wanted: boolean): Verdict {
  const outcome = matchStrings({ pattern, strings: [string], mode })
  if (outcome.kind === 'refused') return { verdict: 'safe', why: outcome.error.message }
  return outcome.value.results[0]?.matched === wanted ? { verdict: 'right' } : { verdict: 'WRONG', why: `${pattern} on ${string}` }
}
