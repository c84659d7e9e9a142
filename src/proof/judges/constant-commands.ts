import type { OutlineWord } from '../../policy/shell/index.ts'

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Commands that cannot judge anything: what they print or look at does not make them fail. */
const ALWAYS_ZERO = set('true : echo printf pwd ls cat sleep')
/** They set the shell up; a status of theirs is never about the work. */
const SETS_UP = set('cd pushd popd export unset umask ulimit shopt trap alias declare typeset local readonly hash date')
const TESTS = set('test [ [[')
/** Look-ups, which as often choose the way as they judge. */
const LOOKS = set('test [ [[ grep egrep fgrep rg diff cmp command which type read')
/** Programs that hand on what they read and succeed whatever it says. */
const PASSES_ON = set('tee cat head tail less more sort uniq cut tr sed awk wc nl column ts')

/** The status of a command that no work can change, or null where a program decides. */
export function constantStatus(name: string, words: readonly OutlineWord[]): 0 | 1 | null {
  if (ALWAYS_ZERO.has(name) || SETS_UP.has(name)) return 0
  // Outside a function `return` is an error and goes on.
  if (name === 'false' || name === 'return') return 1
  // Without a process it waits for all of them and forgets how they ended.
  if (name === 'wait' && words.length === 0) return 0
  return TESTS.has(name) && words.every(isConstant) ? 0 : null
}

export function isLook(name: string): boolean {
  return LOOKS.has(name)
}

/** Behind a pipe. */
export function passesOn(program: OutlineWord | undefined): boolean {
  return PASSES_ON.has(programName(program) ?? '')
}

/** The last part of the program's word, or null where it is only known when it runs. */
export function programName(word: OutlineWord | undefined): string | null {
  if (word === undefined) return null
  const tail = word.text.slice(word.text.lastIndexOf('/') + 1)
  return word.static || (word.text.includes('/') && /^[\w.-]+$/.test(tail)) ? tail : null
}

/** Operators that look at a file or a terminal instead of at the words. */
const LOOKS_AT_FILES = /^-(?:[bcdefghkprstuwxGLNOS]|nt|ot|ef)$/

function isConstant({ text, static: known }: OutlineWord): boolean {
  return known && !LOOKS_AT_FILES.test(text)
}

/** Flags by which a test runner or tool says that nothing found, or something wrong, is fine. */
const HIDING_FLAGS = set('--passwithnotests --pass-with-no-tests --if-present --exit-zero --no-fail')
const MAKES = set('make gmake')
const MAKE_HIDING = /^(?:-[A-Za-z]*[ki][A-Za-z]*|--keep-going|--ignore-errors)$/
/** Letters of make whose value is the rest of the word. */
const MAKE_VALUES = /^-[CIWfol]/

/** What in the words of one command hides failures, or null. */
export function hidingWords(argv: readonly OutlineWord[]): string | null {
  const [program, ...words] = argv
  const name = programName(program) ?? ''
  const texts = words.map(word => word.text)
  if (name === 'set') return turnsErrexitOff(texts) ? `set ${texts.join(' ')}` : null
  if (name === 'trap') return /(?:^|[\s;&|{(])exit\s+0\s*(?:$|[;&|})])/.test(texts[0] ?? '') ? `trap '${texts[0] ?? ''}'` : null
  if (constantStatus(name, words) !== null) return null
  for (const text of texts) {
    const [flag = '', value] = text.split('=', 2)
    if (HIDING_FLAGS.has(flag.toLowerCase()) && value !== 'false') return text
    if (MAKES.has(name) && MAKE_HIDING.test(text) && !MAKE_VALUES.test(text)) return `${name} ${text}`
  }
  return null
}

function turnsErrexitOff(texts: readonly string[]): boolean {
  return texts.some((text, i) => /^\+[a-z]*e/.test(text) || (text === '+o' && texts[i + 1] === 'errexit'))
}
