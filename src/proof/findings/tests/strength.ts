import type { Language } from '../../source/language.ts'
import type { Assertion } from './assertions.ts'

// How much an assertion says. Loose: nearly any value would do. Strict: this one value, or a part of it.

interface Forms {
  loose: readonly RegExp[]
  strict: readonly RegExp[]
}

/** Something is compared inside, so that a bare truth says more than truthiness. */
const COMPARED = /[=!]==?|[<>]=?(?!>)|\.equals\(|\bin\b|\binstanceof\b|\.(?:includes|startsWith|endsWith|match|test|every|contains)\(/
const bare = (name: string): RegExp => new RegExp(`^(?:${name})\\((?!.*(?:${COMPARED.source}))`)

const script: Forms = {
  loose: [
    /\.(?:not\.)?toBe(?:Truthy|Falsy|Defined|InstanceOf|TypeOf)\(/,
    /\.not\.to(?:Be|Equal|StrictEqual|BeNull|BeUndefined|BeNaN|Throw\w*|Match\w*|Contain\w*)\(/,
    /\.toThrow(?:Error)?\(\s*\)/,
    /\.toHaveBeenCalled\(\s*\)/,
    /\bexpect\.any(?:thing)?\(/,
    /\bobjectContaining\(\s*\{\s*\}/,
    /\.toMatchObject\(\s*\{\s*\}\s*\)/,
    /\.to(?:Contain|Match)\(\s*(?:(["'`])\1|\/(?:\.\*|\(\?:\))\/\w*)\s*\)/,
    /\.toBeGreaterThan(?:OrEqual)?\(\s*-?[01]\s*\)/,
    /^expect\(\s*(?:typeof\b|Boolean\(|!!)/,
    bare('assert|assert\\.ok|t\\.(?:truthy|falsy|ok|assert)'),
    /^assert\.(?:exists|isDefined|isOk|isNotNull|notEqual|notStrictEqual|notDeepEqual|notDeepStrictEqual|doesNotThrow)\(/,
    /\.to\.(?:be\.)?(?:ok|exist)\b/,
    /\.(?:to\.not|not\.to)\.(?:be\.)?(?:null|undefined|equal|eql|throw|exist)\b/,
  ],
  strict: [
    /\.(?:resolves\.|rejects\.)?to(?:Be|Equal|StrictEqual|Match\w*|Contain\w*|Have\w*|Throw\w*|BeNull|BeUndefined|BeCloseTo|BeLess\w*|BeGreater\w*)\(/,
    /^assert\b/,
    /^t\.(?:is|deepEqual|like|throws|throwsAsync|equal|same|true|false|regex|match)\(/,
    /\.(?:to|be|deep|have)\b.*\b(?:equal|eql|include|members|property|lengthOf|match|throw|true|false|null|above|below|closeTo)\b/,
    /\.should\b/,
  ],
}

const annotated: Forms = {
  loose: [
    /^(?:Assert\.)?(?:assertNotNull|NotNull|IsNotNull|assertDoesNotThrow|assertNotEquals|NotEqual|AreNotEqual|assertNotSame|NotEmpty|IsNotEmpty)\b/,
    bare('assertTrue|assertFalse|Assert\\.(?:True|False|IsTrue|IsFalse|That)'),
    /^assert(?:Throws|Raises)\w*\(\s*(?:Exception|Throwable|RuntimeException)\.class\b/,
    /^assert(?:Throws|FailsWith)<(?:Exception|Throwable)>/,
    /^Assert\.Throws(?:Any)?(?:Async)?<Exception>/,
    /\)\.(?:isNotNull|isNotEmpty|isPresent|isNotEqualTo|isInstanceOf|NotBeNull|NotBeEmpty)\(/,
    /\bshouldNotBe\b/,
  ],
  strict: [/^assert\w*/, /^Assert\.\w+/, /^[vV]erify/, /\.Should\(\)|\bshould\w+/],
}

/** Nothing to compare: a command fails or it does not. */
const commands: Forms = { loose: [], strict: [] }

const FORMS: Record<Language, Forms> = {
  javascript: script,
  typescript: script,
  python: {
    loose: [
      /^assert(?!.*(?:==|!=|<|>|\bin\b|\bis\b)) /,
      /^assert .*\bis not None\b/,
      /^assert .* != /,
      /^assert (?:isinstance|callable|hasattr|bool)\(/,
      /^assert len\([^()]*\) (?:> 0|>= 1)/,
      /^self\.assert(?:IsNotNone|IsInstance|NotEqual|NotIn|IsNot)\(/,
      bare('self\\.assert(?:True|False)'),
      /^pytest\.raises\(\s*(?:Base)?Exception\s*\)/,
      /^self\.assertRaises\(\s*(?:Base)?Exception\b/,
    ],
    strict: [/^assert /, /^assert_\w+/, /^self\.assert/, /^pytest\.(?:raises|warns)/, /^assert\(/],
  },
  go: {
    loose: [
      /^if\b.*(?:== nil|== ""|== 0|len\([^()]*\) (?:== 0|< 1))\s*$/,
      /^if !ok\s*$/,
      /^(?:assert|require)\.(?:NotNil|NotEmpty|NotZero|NotEqual|NoError|Error|NotPanics|IsType|Implements|Greater)f?\(/,
      bare('(?:assert|require)\\.(?:True|False)f?'),
    ],
    strict: [/^if\b/, /^(?:assert|require)\./],
  },
  rust: {
    loose: [
      /^assert!\(\s*!?[^=<>]*\.(?:is_some|is_ok|is_err|is_none|is_empty|is_null)\(\)/,
      /^assert_ne!/,
      /^assert!\((?!.*(?:==|!=|<|>|matches!|contains|starts_with|ends_with|all\())/,
      /^#\[should_panic\s*\]/,
    ],
    strict: [/^(?:debug_|prop_)?assert\w*!/, /^#\[should_panic/],
  },
  java: annotated,
  kotlin: annotated,
  csharp: annotated,
  ruby: {
    loose: [
      /\bbe_truthy\b|\bbe_falsey\b|\bnot_to\b|\bto_not\b|\bbe_an?_instance_of\b|\bbe_present\b/,
      /^(?:refute_nil|assert_instance_of|refute_equal|assert\b(?!.*==))/,
    ],
    strict: [/\.to\b/, /^(?:assert|refute)_/, /^assert\b/],
  },
  php: {
    loose: [/assert(?:NotNull|NotEmpty|NotSame|NotEquals|InstanceOf|IsArray|IsString|IsInt)\(/, /assertTrue\((?!.*(?:==|<|>))/],
    strict: [/assert\w+\(/, /->to\w+\(/],
  },
  shell: commands,
  bats: commands,
}

export type Strength = 'strict' | 'loose' | 'unknown'

/** Another's `assert` runs a property, which holds the assertions itself; what was cut holds more than can be seen here. */
const HOLDS_OTHERS = /^\w+\.assert\(|…$/
const OWN_ASSERT = /^(?:t|ctx|context|chai)\.(?=assert\b)/

export function strengthOf(assertion: Pick<Assertion, 'text'>, language: Language): Strength {
  const text = assertion.text.replace(OWN_ASSERT, '')
  if (HOLDS_OTHERS.test(text)) return 'unknown'
  const { loose, strict } = FORMS[language]
  if (loose.some(form => form.test(text))) return 'loose'
  return strict.some(form => form.test(text)) ? 'strict' : 'unknown'
}

const LITERAL = /^(?:-?[\d_.]+\w*|["'`].*["'`]|true|false|True|False|null|None|nil|undefined|t|\[\s*\]|\{\s*\})$/
/** What is put around a value to ask less of it. */
const BEFORE = /^(?:typeof\s+|!!?|not\s+|await\s+|&)/
const AROUND = /^(?:Boolean|bool|len|isinstance|callable|String)\((.*)\)$/
const BEHIND = /(?:\.(?:is_\w+|isPresent|isEmpty|length|size|as_ref)(?:\(\))?)+$/

/** What is judged, in a form in which a strict and a loose assertion about the same thing agree. */
export function subjectsOf({ text, calls }: Pick<Assertion, 'text' | 'calls'>, language: Language): string[] {
  const first = calls[0]
  const isCall =
    first !== undefined && first.args.length > 0 && !/^if\b/.test(text) && !(language === 'python' && text.startsWith('assert '))
  const parts = isCall
    ? /^expect\b/.test(first.name)
      ? first.args.slice(0, 1)
      : first.args
    : text
        .replace(/^(?:assert|if)\s+/, '')
        .split(/,(?=\s*f?["'])/)
        .slice(0, 1)
  return parts
    .flatMap(part => part.split(/\s(?:[=!]==?|[<>]=?|is not|is|not in|in|&&|and)\s/))
    .map(bareSubject)
    .filter(part => part !== '' && !LITERAL.test(part))
}

function bareSubject(part: string): string {
  let subject = part.trim()
  for (let layers = 0; layers < 4; layers++)
    subject = subject
      .replace(BEFORE, '')
      .replace(AROUND, (_, inner: string) => inner.replace(/,[^,()]*$/, ''))
      .replace(BEHIND, '')
      .trim()
  return subject
}
