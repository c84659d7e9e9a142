import type { FindingRule } from '../rule.ts'
import { codeDetectsTest } from './detects-test.ts'
import { codeHiddenCharacters } from './hidden-characters.ts'
import { codeSpecialCased } from './special-cased.ts'
import { codeStub } from './stub.ts'
import { codeSuppression } from './suppression.ts'

export const CODE_RULES: readonly FindingRule[] = [codeDetectsTest, codeSpecialCased, codeSuppression, codeStub, codeHiddenCharacters]
