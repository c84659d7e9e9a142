import { compilePathPattern, type PathPattern, partsOf } from '../patterns/path-pattern.ts'
import type { BriefScope, PolicyContext } from '../types.ts'
import { foldName } from './names.ts'

/** What opens a sacred row: a word of the brief, a person's own run, or nothing at all. */
export const UNLOCKS = ['nobody', 'person', 'auth-surface', 'allow_billing', 'allow_dependency_change'] as const
export type Unlock = (typeof UNLOCKS)[number]

/** Paths that a run may not write unless something unlocks them. */
export interface SacredRow {
  id: string
  paths: string[]
  except?: string[]
  unlock: Unlock
  /** Only files that are live already; new ones are free. */
  deployedOnly?: boolean
  match: string[]
  not_match: string[]
}

export const SACRED_ROWS: SacredRow[] = [
  {
    id: 'git-config',
    paths: ['**/.gitconfig', '**/.git/**'],
    unlock: 'nobody',
    match: ['.gitconfig', '.git/hooks/pre-commit', 'vendor/x/.GIT/config', '.git'],
    not_match: ['.gitignore', '.github/workflows/ci.yml'],
  },
  {
    id: 'payment-callbacks',
    paths: [
      '**/oauth*/**/callback*',
      '**/webhooks/{stripe,paddle,lemonsqueezy,billing,payment}*',
      '**/{stripe,paddle,billing}/webhook*',
      '**/*subscription*state*',
    ],
    unlock: 'person',
    match: ['src/oauth/google/callback.ts', 'api/webhooks/stripe.ts', 'src/billing/webhook.ts', 'src/user-subscription-state.ts'],
    not_match: ['src/callback.ts', 'src/webhooks/github.ts'],
  },
  {
    id: 'auth',
    paths: ['**/auth/**', '**/clerk/**', '**/next-auth/**', '**/*nextauth*'],
    unlock: 'auth-surface',
    match: ['src/auth/login.ts', 'auth/index.ts', 'pages/api/[...nextauth].ts', 'src/Auth/x.ts'],
    not_match: ['src/author.ts', 'docs/auth.md'],
  },
  {
    id: 'billing',
    paths: ['**/billing/**', '**/*{stripe,paddle,lemonsqueezy,lemon-squeezy}*'],
    unlock: 'allow_billing',
    match: ['src/billing/invoice.ts', 'lib/stripe-client.ts', 'src/billing/webhook.ts'],
    not_match: ['src/bill.ts', 'src/invoices/a.ts'],
  },
  {
    id: 'migrations',
    paths: ['**/migrations/**'],
    unlock: 'nobody',
    deployedOnly: true,
    match: ['db/migrations/0001_init.sql', 'migrations/1.sql'],
    not_match: ['src/migrations.ts', 'db/migration/1.sql'],
  },
]

/** Rows whose paths are not names but content, or names that are secret anyway. */
export const DEPENDENCIES_ROW = { id: 'dependencies', unlock: 'allow_dependency_change' } as const satisfies Partial<SacredRow>

/** In a run without a brief a person may still answer for these. */
const ASKED_WITHOUT_BRIEF = new Set(['payment-callbacks', 'auth', 'billing', 'dependencies', 'migrations'])

export interface CompiledSacredRow extends SacredRow {
  covers(relative: string): boolean
  /** The same over folded parts. */
  coversParts(parts: string[]): boolean
}

export function compileSacred(row: SacredRow): CompiledSacredRow {
  const compile = (text: string): PathPattern => compilePathPattern(text, { fold: foldName, nameAnywhere: true })
  const patterns = row.paths.map(compile)
  const except = (row.except ?? []).map(compile)
  const coversParts = (parts: string[]): boolean =>
    patterns.some(pattern => pattern.matchesParts(parts)) && !except.some(pattern => pattern.matchesParts(parts))
  return { ...row, coversParts, covers: relative => coversParts(partsOf(relative).map(foldName)) }
}

export const builtInSacred: CompiledSacredRow[] = SACRED_ROWS.map(compileSacred)

/** What a row that is touched answers in this context. */
export function sacredAnswer(row: { id: string; unlock: Unlock }, context: PolicyContext): 'deny' | 'ask' | null {
  const { brief } = context
  if (brief) return UNLOCKED_BY[row.unlock](brief, context) ? null : 'deny'
  return ASKED_WITHOUT_BRIEF.has(row.id) || row.unlock !== 'nobody' ? 'ask' : 'deny'
}

const UNLOCKED_BY: Record<Unlock, (brief: BriefScope, context: PolicyContext) => boolean> = {
  nobody: () => false,
  person: () => false,
  'auth-surface': (brief, context) =>
    (brief.audit_gates ?? context.gates ?? []).includes('secaudit') && (brief.rubric ?? context.rubric ?? []).includes('auth-surface'),
  allow_billing: brief => brief.allow_billing === true,
  allow_dependency_change: brief => brief.allow_dependency_change === true,
}
