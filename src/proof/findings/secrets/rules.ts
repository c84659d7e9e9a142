import type { FindingRule } from '../rule.ts'
import { secretCanary } from './canary.ts'
import { secretInDiff } from './in-diff.ts'
import { secretInOutput } from './in-output.ts'

export const SECRET_RULES: readonly FindingRule[] = [secretInDiff, secretInOutput, secretCanary]
