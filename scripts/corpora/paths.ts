import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { decide } from '../../src/policy/decide.ts'
import { NO_LAYERS } from '../../src/policy/layers/layer.ts'
import { isWithin } from '../../src/policy/paths/names.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import type { Access, Decision, Facts } from '../../src/policy/types.ts'
import { realFacts, textFacts } from '../../src/sandbox/facts.ts'
import type { Row, Verdict } from './score.ts'

type Score = 'agreed' | 'over-strict' | 'ESCAPE' | 'not asked here'

const PLACE = { home: '/home/user', tmp: '/tmp' }
const WORK = '/srv/project'

/** One question of the corpus, answered by QED: inside and allowed, or not. */
const QUESTIONS: Record<string, (row: Row) => Score> = {
  'stays-in-root': ({ input, expected }) => {
    const { allowed, real } = read(String(input['path']), [WORK], WORK)
    if (allowed && !isWithin(real, WORK, false)) return 'ESCAPE'
    if (expected['ok'] === true) return allowed ? 'agreed' : 'over-strict'
    return expected['ok'] === false && allowed ? 'ESCAPE' : 'agreed'
  },
  'is-subpath': ({ input, expected }) => inside(String(input['child']), [String(input['parent'])], expected),
  'within-allowed': ({ input, expected }) => inside(String(input['path']), (input['allowed'] ?? []) as string[], expected),
  'valid-relative-path': ({ input, expected }) => {
    const path = String(input['path'])
    const code = read(path, [WORK], WORK).decision.code
    const ok = code !== 'malformed-path'
    return ok === expected['ok'] ? 'agreed' : ok ? 'not asked here' : 'over-strict'
  },
  'edit-through-symlink': throughLinks,
}

const VERDICTS: Record<Score, Verdict['verdict']> = { agreed: 'right', 'over-strict': 'safe', ESCAPE: 'WRONG', 'not asked here': 'skipped' }

/** An escape is the one costly error. */
export function pathScore(row: Row): Verdict {
  const score = QUESTIONS[String(row.input['question'])]?.(row) ?? 'not asked here'
  return { verdict: VERDICTS[score], ...(score !== 'agreed' && { why: JSON.stringify(row.input).slice(0, 200) }) }
}

function read(path: string, roots: string[], cwd: string): { allowed: boolean; real: string; decision: Decision } {
  const facts = textFacts({ roots: roots.map(root => ({ path: root, access: 'write' })), ...PLACE })
  return judge(path, 'list', cwd, facts)
}

function judge(path: string, access: Access, cwd: string, facts: Facts): { allowed: boolean; real: string; decision: Decision } {
  const operation = {
    verb: 'file.read',
    paths: [{ path, access }],
    cwd,
    facts,
    context: { mode: 'act' as const, surface: 'cli' as const, approver: 'person' as const },
  }
  const decision = decide(operation, NO_LAYERS, readShell)
  return { allowed: decision.verdict !== 'deny', real: decision.facets[0]?.real ?? '', decision }
}

// Windows spellings are names of ordinary files here; they can only be judged on Windows.
function inside(path: string, roots: string[], expected: Record<string, unknown>): Score {
  if ([path, ...roots].some(one => !one.startsWith('/') && one !== '')) return 'not asked here'
  const usable = roots.filter(root => root.startsWith('/') && !root.includes('\u0000'))
  const { allowed } = read(path, usable, usable[0] ?? '/')
  if (allowed === expected['inside']) return 'agreed'
  return allowed ? 'ESCAPE' : 'over-strict'
}

function throughLinks({ input, expected }: Row): Score {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'qed-corpus-')))
  try {
    for (const [name, content] of Object.entries(input['setup'] as Record<string, string | { $symlink: string }>)) {
      mkdirSync(dirname(join(base, name)), { recursive: true })
      if (typeof content === 'string') writeFileSync(join(base, name), content)
      else symlinkSync(content.$symlink, join(base, name))
    }
    const root = join(base, String(input['cwd']))
    const facts = realFacts({ roots: [{ path: root, access: 'write' }], ...PLACE })
    const patch = (input['edit'] as { patch: string }).patch
    const targets = [...patch.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm)].map(match => match[1] ?? '')
    const allowed = targets.every(target => judge(target, 'write', root, facts).allowed)
    if (allowed === expected['ok']) return 'agreed'
    return allowed ? 'ESCAPE' : 'over-strict'
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}
