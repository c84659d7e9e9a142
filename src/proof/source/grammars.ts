import { hashBang, jsx, regex, template } from './javascript.ts'
import type { Language } from './language.ts'
import {
  csharpString,
  first,
  long,
  phpEnd,
  phpHash,
  phpHeredoc,
  phpStart,
  plain,
  pythonString,
  quoted,
  raw,
  rubyBlock,
  rubyHeredoc,
  rubyPercent,
  rubyRegex,
  rustCharacter,
  rustRaw,
  shellComment,
  shellHeredoc,
  shellSingle,
  tripled,
} from './openers.ts'
import type { Grammar, Hole } from './reader.ts'

const SLASHES = { lineComments: ['//'], blockComments: { open: '/*', close: '*/' } } as const
const NESTED = { lineComments: ['//'], blockComments: { open: '/*', close: '*/', nested: true } } as const

const DOLLAR_BRACE: Hole = { open: '${', nest: '{', close: '}' }
const HASH_BRACE: Hole = { open: '#{', nest: '{', close: '}' }
const DOLLAR_PAREN: Hole = { open: '$(', nest: '(', close: ')' }

const script: Grammar = { ...SLASHES, start: hashBang, openers: { '"': plain('"'), "'": plain("'"), '`': template, '/': regex } }

const shell: Grammar = {
  lineComments: [],
  codeEscape: '\\',
  openers: { '"': long('"', DOLLAR_PAREN), "'": shellSingle, '#': shellComment, '<': shellHeredoc },
}

/** How each language writes comments and strings. */
export const GRAMMARS: Record<Language, Grammar> = {
  typescript: script,
  javascript: { ...script, openers: { ...script.openers, '<': jsx } },
  python: { lineComments: ['#'], openers: { '"': pythonString('"'), "'": pythonString("'") } },
  go: { ...SLASHES, openers: { '"': plain('"'), "'": plain("'"), '`': raw('`') } },
  rust: { ...NESTED, openers: { '"': long('"'), "'": rustCharacter, r: rustRaw } },
  java: { ...SLASHES, openers: { '"': first(tripled('"', { escape: 'backslash' }), plain('"')), "'": plain("'") } },
  kotlin: {
    ...NESTED,
    openers: {
      '"': first(
        tripled('"', { escape: 'none', hole: DOLLAR_BRACE }),
        quoted({ close: '"', escape: 'backslash', oneLine: true, hole: DOLLAR_BRACE }),
      ),
      "'": plain("'"),
      // A name with blanks in it, as tests have.
      '`': quoted({ close: '`', escape: 'none', oneLine: true }),
    },
  },
  csharp: { ...SLASHES, openers: { '"': csharpString, "'": plain("'") } },
  ruby: {
    lineComments: ['#'],
    openers: {
      '"': long('"', HASH_BRACE),
      "'": long("'"),
      '`': long('`', HASH_BRACE),
      '/': rubyRegex,
      '%': rubyPercent,
      '<': rubyHeredoc,
      '=': rubyBlock,
    },
  },
  php: {
    ...SLASHES,
    start: phpStart,
    openers: { '"': long('"'), "'": long("'"), '#': phpHash, '<': phpHeredoc, '?': phpEnd },
  },
  shell,
  bats: shell,
}
