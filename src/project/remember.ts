import { join } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import type { Clock } from '../kernel/clock.ts'
import { sha256 } from '../kernel/sha256.ts'
import { REMEMBERED_FILE } from '../policy/offers.ts'
import { loadPolicy } from '../policy/rules/load.ts'
import type { RuleInput } from '../policy/rules/schema.ts'
import type { ReadShell } from '../policy/shell-port.ts'
import { readFileIfThere, writeFileAtomically } from '../store/files.ts'
import type { Store } from '../store/store.ts'
import { ConfigBroken, PolicyUntrusted } from './errors.ts'
import type { Project } from './root.ts'
import { isTrusted, trust } from './trust.ts'

const FORMAT = { formattingOptions: { tabSize: 2, insertSpaces: true, eol: '\n' } }
const EMPTY = '{\n  "version": 1,\n  "rules": []\n}\n'

/** Writes rules that a person answered an ask with into the project's local policy file and keeps its trust. Refuses where the
 *  file holds what nobody trusted: adding to it would trust all of it. */
export function rememberForProject(
  project: Project,
  rules: RuleInput[],
  { projectStore, personalStore, clock, readShell }: { projectStore: Store; personalStore: Store; clock: Clock; readShell: ReadShell },
): { file: string; digest: string; added: string[] } {
  const path = join(project.root, REMEMBERED_FILE)
  return projectStore.db.transaction(() => {
    const before = readFileIfThere(path)
    if (before !== null && !isTrusted(personalStore, project.id, sha256(before))) throw new PolicyUntrusted(REMEMBERED_FILE, sha256(before))
    const known = loadPolicy(before ?? EMPTY, readShell)
    if (known.kind === 'unloadable') throw new ConfigBroken(REMEMBERED_FILE, known.problems[0]?.message ?? 'it does not load')
    const added = rules.filter(rule => !known.rules.some(one => one.rule.id === rule.id))
    let text = before ?? EMPTY
    for (const rule of added) text = applyEdits(text, modify(text, ['rules', -1], rule, { ...FORMAT, isArrayInsertion: true }))
    const after = loadPolicy(text, readShell)
    if (after.kind === 'unloadable') throw new ConfigBroken(REMEMBERED_FILE, after.problems[0]?.message ?? 'the new rule does not load')
    const digest = sha256(text)
    projectStore.log.append('project', 'policy.remembered', { file: REMEMBERED_FILE, rules: added.map(rule => rule.id), digest })
    trust(personalStore, { project: project.id, file: REMEMBERED_FILE, digest }, clock)
    if (text !== before) writeFileAtomically(path, text)
    return { file: REMEMBERED_FILE, digest, added: added.map(rule => rule.id) }
  })
}
