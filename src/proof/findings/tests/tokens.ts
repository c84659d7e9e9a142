import { argumentsIn } from '../../source/brackets.ts'
import type { Language } from '../../source/language.ts'
import type { Source } from '../../source/source.ts'

// What tests are made of, language by language. All forms are looked for in blanked code, where strings and comments say nothing.

interface Tokens {
  assertion: readonly RegExp[]
  skip: readonly RegExp[]
  focus: readonly RegExp[]
  /** Marks that are written as comments. */
  skipInComments?: readonly RegExp[]
  focusInComments?: readonly RegExp[]
}

/** A word that is no part of a longer name and no member. */
const free = (form: string): RegExp => new RegExp(`(?<![\\w$.])(?:${form})`, 'g')
/** A word that may be a member. */
const word = (form: string): RegExp => new RegExp(`(?<![\\w$])(?:${form})`, 'g')
const line = (form: string): RegExp => new RegExp(`^[ \\t]*(?:${form})`, 'gm')

const RUNNER = '(?:t\\.)?(?:it|test|describe|context|suite|specify|bench|scenario)|Deno\\.test|QUnit\\.(?:test|module)'
/** A title, blanked, and a function behind it: what makes `x.only(` a test of whatever name. */
const TITLED = '\\s*\\(\\s*(["\'`])\\s*\\1\\s*,\\s*(?:async\\b|function\\b|\\(|[\\w$]+\\s*=>)'

const script: Tokens = {
  assertion: [
    word('expect(?:\\.(?:soft|poll|element))?\\s*\\('),
    word('(?:[\\w$]+\\.)?assert(?:\\.\\w+){0,3}\\s*\\('),
    /\.should\b/g,
    free(
      't\\.(?:is|not|deepEqual|notDeepEqual|true|false|truthy|falsy|like|regex|snapshot|throws|throwsAsync|notThrows|equal|same|ok|match)\\s*\\(',
    ),
  ],
  skip: [
    free(`(?:${RUNNER})(?:\\.\\w+){0,3}\\.(?:skip|skipIf|runIf|todo|fails|failing|fixme)\\b`),
    free('test\\.fail\\s*\\('),
    free('(?:xit|xtest|xdescribe|xcontext|xspecify)\\s*[.(]'),
    free('(?:this|t|ctx|context|testContext|task)\\.(?:skip|todo)\\s*\\('),
    new RegExp(`\\.(?:skip|todo)${TITLED}`, 'g'),
    free('pending\\s*\\(\\s*["\'`)]'),
  ],
  focus: [
    free(`(?:${RUNNER})(?:\\.\\w+){0,3}\\.only\\b`),
    free('(?:fit|fdescribe|fcontext)\\s*(?:\\.each\\b|\\(\\s*(?:["\'`]|[\\w$.]+\\s*,\\s*(?:async\\b|function\\b|\\()))'),
    new RegExp(`\\.only${TITLED}`, 'g'),
  ],
}

const annotated: Tokens = {
  assertion: [
    word('assert\\w*\\s*(?:<[^()\\n]{0,80}>\\s*)?[({]'),
    free('assert\\s+[^\\s;]'),
    word('Assert\\.\\w+'),
    word('[vV]erify\\w*\\s*\\('),
    /\.Should\(\)|\bshould(?:Be|Throw|Not|Contain|Equal)\w*/g,
  ],
  skip: [
    /@Disabled\w*/g,
    /@Ignore(?!\w)/g,
    /\[(?:Ignore|Explicit)(?!\w)/g,
    /\bSkip\s*=(?!=)/g,
    /@Test\s*\([^)]{0,200}\benabled\s*=\s*false/g,
  ],
  focus: [],
}

const shell: Tokens = {
  assertion: [/(?<![\w$[])\[\[?\s/g, line('(?:assert|refute)\\w*'), /(?:^|[;&|]|then)[ \t]*(?:test|grep|diff|cmp)\s/gm],
  skip: [line('skip(?:[ \\t]|$)')],
  focus: [],
  focusInComments: [/#\s*bats\s+(?:file_|test_)tags\s*=.*\bbats:focus\b/g],
}

export const TOKENS: Record<Language, Tokens> = {
  javascript: script,
  typescript: script,
  python: {
    assertion: [
      free('assert\\b(?!\\s*[=.(]?=)'),
      word('assert_\\w+\\s*\\('),
      /\bself\.(?:assert\w*|fail)\b/g,
      /\bpytest\.(?:raises|warns|fail|deprecated_call)\b/g,
    ],
    skip: [
      /\bmark\.(?:skip|skipif|xfail)\b/g,
      /\bpytest\.(?:skip|xfail)\s*\(/g,
      /\bunittest\.(?:skip\w*|expectedFailure)\b/g,
      /\bskipTest\s*\(/g,
      /@(?:skip|skipIf|skipUnless|expectedFailure)\b/g,
      /\braise\s+(?:unittest\.)?SkipTest\b/g,
      /\b__test__\s*=\s*False\b/g,
    ],
    focus: [],
  },
  go: {
    assertion: [
      /\b(?:t|tb|b|T\(\))\.(?:Error|Fatal|Fail)\w*\s*\(/g,
      free('(?:assert|require)\\.\\w+\\s*\\('),
      /\.(?:Require|Assert)\(\)\.\w+\s*\(/g,
    ],
    skip: [/\b(?:t|tb|b|T\(\))\.Skip\w*\s*\(/g],
    focus: [],
    skipInComments: [/^\/\/\s*(?:go:build|\+build)\b.*/gm],
  },
  rust: {
    assertion: [/\b(?:debug_|prop_)?assert\w*!/g, /#\[should_panic/g],
    skip: [/#\[\s*ignore\b/g, /#\[\s*cfg_attr\([^\]\n]{0,200}\bignore\b/g],
    focus: [],
  },
  java: annotated,
  kotlin: annotated,
  csharp: annotated,
  ruby: {
    assertion: [word('expect\\s*[({]'), word('(?:assert|refute)\\w*'), /\.(?:should|must_\w+|wont_\w+)\b/g, /\bis_expected\b/g],
    skip: [
      line('(?:xit|xdescribe|xcontext|xspecify|xexample)\\b'),
      line('(?:skip|pending)\\b(?!\\s*(?:[-+*/|&]?=|\\.|:))'),
      /(?<![\w:]):(?:skip|pending)\b|\b(?:skip|pending):\s*(?!false\b|nil\b)\S/g,
    ],
    focus: [line('(?:fit|fdescribe|fcontext|fspecify|focus)\\b(?!\\s*[=.])'), /(?<![\w:]):focus\b|\bfocus:\s*true\b/g],
  },
  php: {
    assertion: [/(?:->|::)assert\w*\s*\(/g, free('expect\\s*\\('), /->expect\w*\s*\(/g],
    skip: [/\bmarkTest(?:Skipped|Incomplete)\s*\(/g, /\)\s*->(?:skip|todo)\s*\(/g],
    focus: [/\)\s*->only\s*\(/g],
  },
  shell,
  bats: shell,
}

export interface Mark {
  at: number
  text: string
}

/** Where the forms stand, in order; what overlaps counts once. */
export function marksIn(code: string, forms: readonly RegExp[]): Mark[] {
  const found = forms.flatMap(form => Array.from(code.matchAll(form), match => ({ at: match.index, text: match[0].trim() })))
  found.sort((a, b) => a.at - b.at || b.text.length - a.text.length)
  let end = -1
  return found.filter(({ at, text }) => {
    const free = at >= end
    if (free) end = at + text.length
    return free
  })
}

const OPTION = /(?<![\w$.?])(skip|todo|only)\s*:\s*(?!false\b|undefined\b|null\b|0\b)(true\b)?/g
const IS_RUNNER = new RegExp(`(?<![\\w$.])(?:${RUNNER})(?:\\.\\w+){0,3}\\s*$`)

/** `skip: true` and `only: true` among the options of a test. In the arguments of another function the words mean something else. */
export function optionMarks(source: Source, code: string, words: readonly string[]): Mark[] {
  if (source.language !== 'javascript' && source.language !== 'typescript') return []
  return Array.from(code.matchAll(OPTION)).flatMap(match => {
    if (!words.includes(match[1] ?? '')) return []
    const call = callAround(source, match.index)
    const counts =
      call < 0 ? match[2] === 'true' : IS_RUNNER.test(code.slice(Math.max(0, call - 80), call)) && isOption(source, call, match.index)
    return counts ? [{ at: match.index, text: match[0].trim() }] : []
  })
}

function callAround({ code, brackets }: Source, position: number): number {
  let open = brackets.around[position] ?? -1
  while (open >= 0 && code[open] !== '(') open = brackets.around[open] ?? -1
  return open
}

/** Not in the body of the test, which is an argument too. */
function isOption({ code, brackets }: Source, call: number, position: number): boolean {
  const argument = argumentsIn(code, brackets, call).find(({ start, end }) => start <= position && position < end)
  return argument !== undefined && code.slice(argument.start, argument.end).trimStart().startsWith('{')
}
