import { BLOB_RULES } from './blob.ts'
import { CLAIM_RULES } from './claim.ts'
import { CODE_RULES } from './code/rules.ts'
import { DEPS_RULES } from './deps.ts'
import { GATE_RULES } from './gates.ts'
import { GIT_RULES } from './git.ts'
import { HISTORY_RULES } from './history.ts'
import { JUDGE_RULES } from './judges.ts'
import { PROCESS_RULES } from './processes.ts'
import type { FindingRule } from './rule.ts'
import { SCOPE_RULES } from './scope.ts'
import { SECRET_RULES } from './secrets/rules.ts'
import { TEST_RULES } from './tests/rules.ts'
import { VERIFY_RULES } from './verify.ts'

/** Every rule. Their order does not matter: findings are sorted. */
export const RULES: readonly FindingRule[] = [
  ...SCOPE_RULES,
  ...JUDGE_RULES,
  ...DEPS_RULES,
  ...GIT_RULES,
  ...BLOB_RULES,
  ...VERIFY_RULES,
  ...CLAIM_RULES,
  ...GATE_RULES,
  ...PROCESS_RULES,
  ...HISTORY_RULES,
  ...TEST_RULES,
  ...CODE_RULES,
  ...SECRET_RULES,
]
