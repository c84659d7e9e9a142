import type { Language } from '../../source/language.ts'
import type { Assertion } from './assertions.ts'

const TRUE = /^(?:true|True|TRUE|1|!false|!0|not False|(["'`])[^"'`]+\1)$/
/** A literal, or a plain name: the same on both sides says nothing. Two calls may differ. */
const ATOM = /^(?:-?[\d_.]+\w*|(["'`])[^"'`]*\1|true|false|True|False|null|None|nil|undefined|[A-Za-z_$][\w$]*)$/
const EQUAL =
  /(?:^|[._!])(?:toBe|toEqual|toStrictEqual|equals?|eql|eq|strictEqual|deepEqual|deepStrictEqual|is|same|isEqualTo|shouldBe|assertEquals?|assertSame|assertEqual|assert_eq|assert_equal|Equal|EqualValues|Exactly|AreEqual|Same)!?f?$/i
const HOLDS =
  /(?:^|[._!])(?:assert|ok|isTrue|isOk|true|truthy|assertTrue|assert_true|True|IsTrue|toBeTruthy|toBeDefined|isTrue|be|NotNil|NotNull|assertNotNull)!?f?$/
const OR_TRUE = /(?:\|\||\bor)\s*(?:true|True|1)\s*$/

/** Whether an assertion holds whatever the program does. One that always fails marks a place that must not be reached. */
export function isConstant({ text, calls }: Pick<Assertion, 'text' | 'calls'>, language: Language): boolean {
  if (language === 'python' && /^assert[ (]/.test(text)) return isConstantCondition(text.replace(/^assert\s*/, ''))
  if (language === 'go' && /^if\s/.test(text)) return /^if\s+(?:false|1 != 1)\s*$/.test(text)
  const first = calls[0]
  if (!first) return false
  const args = language === 'go' ? first.args.filter(arg => arg !== 't' && arg !== 's.T()') : first.args
  if (/(?:^|\.)(?:pass|success|Succeed)$/.test(first.name)) return true
  const subject = args[0] ?? ''
  if (OR_TRUE.test(subject)) return true
  const isSubject = /^(?:expect|assertThat|Assert\.That|expect\.soft)$/.test(first.name)
  if (isSubject) return isConstantChain(subject, args, calls.slice(1))
  if (EQUAL.test(first.name)) return ATOM.test(subject) && subject === args[1]
  return HOLDS.test(first.name) && isConstantCondition(subject)
}

function isConstantChain(subject: string, args: readonly string[], chain: Assertion['calls']): boolean {
  if (chain.some(({ name }) => /\bnot\b/i.test(name)) || !ATOM.test(subject)) return false
  const last = chain.at(-1)
  if (!last) return args.length > 1 && args[1] === 'Is.True' && TRUE.test(subject)
  if (last.args.length > 0) return EQUAL.test(last.name) && last.args[0] === subject
  return TRUE.test(subject) && /(?:toBeTruthy|toBeDefined|\.true|\.ok|\.exist|isTrue|BeTrue|isNotNull)$/.test(last.name)
}

function isConstantCondition(condition: string): boolean {
  const bare = condition.replace(/,\s*f?["'][^]*$/, '').trim()
  if (TRUE.test(bare) || OR_TRUE.test(bare)) return true
  // `assert (x == y, "why")` is a tuple, which is always true.
  if (/^\((?:[^()]|\([^()]*\))*,\s*f?(["']).*\1\s*\)$/.test(condition.trim())) return true
  const sides = /^(.{1,60}?)\s*(?:===?|\bis\b)\s*(.{1,60})$/.exec(bare)
  const [, left = '', right = ''] = sides ?? []
  return sides !== null && left.trim() === right.trim() && ATOM.test(left.trim())
}
