import type { OutlineWord } from '../../policy/shell/index.ts'

/** Commands that cannot judge anything: what they print or look at does not make them fail. */
const ALWAYS_ZERO: ReadonlySet<string> = new Set('true : echo printf pwd ls cat sleep'.split(' '))

/** They set the shell up; a status of theirs is never about the work. */
const SETS_UP: ReadonlySet<string> = new Set(
  'cd pushd popd export unset umask ulimit shopt trap alias declare typeset local readonly hash date'.split(' '),
)

/** The status of a command that no work can change, or null where a program decides. */
export function constantStatus(name: string, words: readonly OutlineWord[]): 'zero' | 'nonzero' | null {
  if (ALWAYS_ZERO.has(name) || SETS_UP.has(name)) return 'zero'
  if (name === 'false') return 'nonzero'
  // Without a process it waits for all of them and forgets how they ended.
  if (name === 'wait' && words.length === 0) return 'zero'
  return ['test', '[', '[['].includes(name) && words.every(isConstant) ? 'zero' : null
}

/** Operators that look at a file or a terminal instead of at the words. */
const LOOKS_AT_FILES = /^-(?:[bcdefghkprstuwxGLNOS]|nt|ot|ef)$/

function isConstant({ text, static: known }: OutlineWord): boolean {
  return known && !LOOKS_AT_FILES.test(text)
}

/** Flags by which a test runner or tool says that nothing found, or something wrong, is fine. */
const HIDING_FLAGS: ReadonlySet<string> = new Set(['--passwithnotests', '--pass-with-no-tests', '--if-present', '--exit-zero', '--no-fail'])
const MAKES: ReadonlySet<string> = new Set(['make', 'gmake'])
const MAKE_HIDING = /^(?:-[A-Za-z]*[ki][A-Za-z]*|--keep-going|--ignore-errors)$/
/** Letters of make whose value is the rest of the word. */
const MAKE_VALUES = /^-[CIWfol]/

/** The first word that hides failures, or null. */
export function swallowingFlag(name: string, words: readonly OutlineWord[]): string | null {
  for (const { text } of words) {
    const [flag = '', value] = text.split('=', 2)
    if (HIDING_FLAGS.has(flag.toLowerCase()) && value !== 'false') return text
    if (MAKES.has(name) && MAKE_HIDING.test(text) && !MAKE_VALUES.test(text)) return `${name} ${text}`
  }
  return null
}
