import { functionsOf } from '../../source/functions.ts'
import type { Source } from '../../source/source.ts'
import { type FindingRule, finding } from '../rule.ts'
import { isConstant } from './constant.ts'
import { pairedTests, type TestSide } from './paired-tests.ts'
import { marksIn, TOKENS } from './tokens.ts'

/** A new test that cannot fail. */
export const testTrivial: FindingRule = facts =>
  pairedTests(facts).added.flatMap(side => {
    const { block, view } = side
    const why = block ? whyTrivial(side, side.source.code.slice(block.start, block.end)) : null
    return block && why !== null ? [finding('test.trivial', { path: view.path, line: block.line + 1, measured: why })] : []
  })

/** Names by which helpers that assert are called, and ways to fail without one. */
const CHECKS =
  /\b(?:(?:assert|expect|check|verify|should|must|ensure|validate|require|refute|compare|match)\w*\s*[(!<{]|throw\s|raise\s|panic!?\(|fail\w*\()/i
/** In Rust a test also fails by an error that it returns or unwraps. */
const RUST_CHECKS = /\.unwrap\w*\(|\.expect\w*\(|\?\s*[;)]|\bmatches!/

function whyTrivial({ source, assertions }: TestSide, code: string): string | null {
  const { language } = source
  const isScript = language === 'javascript' || language === 'typescript'
  // Marked as to be written, or its function stands elsewhere.
  if (isScript && !/=>|\bfunction\b/.test(code)) return null
  const inside = marksIn(code, TOKENS[language].assertion).length
  if (inside > assertions.length || assertions.some(one => !isConstant(one, language))) return null
  if (assertions.length > 0) return 'only assertions that always hold'
  const body = code.slice(bodyStart(code, language))
  if (inside > 0 || CHECKS.test(body) || (language === 'rust' && RUST_CHECKS.test(body)) || callsChecker(source, body)) return null
  return 'no assertion'
}

/** Behind the head, so that a test named `check_x` does not count as calling it. */
function bodyStart(code: string, language: Source['language']): number {
  if (language === 'javascript' || language === 'typescript') return code.indexOf('(') + 1
  const head = language === 'python' || language === 'ruby' ? code.indexOf('\n') : code.indexOf('{')
  return Math.max(0, head)
}

/** Whether the test calls a function of the same file that asserts. */
function callsChecker(source: Source, body: string): boolean {
  return functionsOf(source).some(({ name, body: { start, end } }) => {
    const called = new RegExp(`(?<![\\w$])${name.replace(/[^\w]/g, '\\$&')}\\s*[(]`).test(body)
    return called && marksIn(source.code.slice(start, end), TOKENS[source.language].assertion).length > 0
  })
}
