import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ShellReading } from '../../../src/policy/shell/reading.ts'
import type { Flag } from '../../../src/policy/types.ts'
import { SHELL_CLASSES } from '../../../src/policy/types.ts'
import { read } from '../../support/shell.ts'

const lines = (text: string): string[] => text.split('\n').map(line => line.trim())

const PARTS = lines(`ls
  cat a
  rm -rf x
  rm -rf /
  touch a
  curl x.io
  make
  git push -f
  git status
  echo $x
  cat $x
  npm i x
  sudo ls
  find . -delete
  sh -c "rm x"
  eval "$x"
  ls > out
  env
  PATH=/x ls
  sed -i s/a/b/ f
  python3 -c 1
  cd src`)
const PIECES = [
  ...'( ) { } $( ` " \' \\ | & ; < > <<E $x ${ * [ ] [[ ]] ! ~ if then fi for in do done case esac while = # / - {a,b} $(( )) é 😀'.split(
    ' ',
  ),
  '\n',
  '\0',
  '\r',
  ' ',
  ...PARTS,
]
const command = fc.constantFrom(...PARTS)
const RUNS = { numRuns: 400 }

const flags = (reading: ShellReading): Set<Flag> => new Set(reading.facets.flatMap(facet => facet.flags))
const rank = (reading: ShellReading): number => SHELL_CLASSES.indexOf(reading.class)
const isUnknown = (reading: ShellReading): boolean => reading.grammar === 'unknown'

/** In which ways a whole is milder than one of its parts. */
function milder(whole: ShellReading, part: ShellReading): string[] {
  const secrets = (reading: ShellReading): number => reading.facets.filter(facet => facet.category === 'secrets').length
  return [
    ...(rank(whole) < rank(part) ? [`${whole.class} instead of ${part.class}`] : []),
    ...[...flags(part)].filter(flag => !flags(whole).has(flag)),
    ...(isUnknown(part) && !isUnknown(whole) ? ['known grammar'] : []),
    ...(secrets(whole) < secrets(part) ? ['fewer secrets'] : []),
  ]
}

function incomplete(reading: ShellReading): string[] {
  return [
    ...(SHELL_CLASSES.includes(reading.class) ? [] : ['no class']),
    ...(reading.levels.length === reading.segments.length ? [] : ['levels and segments differ']),
    ...(isUnknown(reading) && !flags(reading).has('ambiguous') ? ['unknown but not ambiguous'] : []),
    ...reading.facets.filter(({ path }) => path !== undefined && !path.startsWith('/')).map(({ path }) => `relative ${path}`),
  ]
}

test('P-3 no text makes the reading throw, and every answer is whole', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map(pieces => pieces.join('')),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }).map(pieces => pieces.join(' ')),
  )
  fc.assert(
    fc.property(text, one => {
      expect(incomplete(read(one))).toEqual([])
    }),
    { numRuns: 3000 },
  )
})

test('P-28 a transparent wrapper never makes a command milder', () => {
  const wrapper = fc.constantFrom(
    'timeout 5 ',
    'nice ',
    'nohup ',
    'setsid ',
    'stdbuf -oL ',
    'env A=1 ',
    'env -i ',
    'command ',
    'ionice -c 3 ',
    'chrt 1 ',
    'taskset 1 ',
  )
  const wrappable = command.filter(one => !/^(?:PATH=|cd )/.test(one))
  fc.assert(
    fc.property(fc.array(wrapper, { minLength: 1, maxLength: 4 }), wrappable, (wrappers, inner) => {
      expect(milder(read(wrappers.join('') + inner), read(inner))).toEqual([])
    }),
    RUNS,
  )
})

test('P-28 a shell around a command never makes it milder', () => {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  const shell = fc.constantFrom('sh -c ', 'bash -lc ', 'eval ')
  fc.assert(
    fc.property(shell, command, (outer, inner) => {
      expect(milder(read(outer + quoted(inner)), read(inner))).toEqual([])
    }),
    RUNS,
  )
})

test('P-5 a list, a pipe or a group is never milder than its parts', () => {
  const joint = fc.constantFrom(' && ', ' || ', '; ', ' | ', '\n', ' & ')
  fc.assert(
    // Another folder before it may rightly make a relative command milder.
    fc.property(
      command.filter(one => !one.startsWith('cd ')),
      joint,
      command,
      (a, between, b) => {
        const whole = read(a + between + b)
        expect([...milder(whole, read(a)), ...milder(whole, read(b))]).toEqual([])
      },
    ),
    RUNS,
  )
  fc.assert(
    fc.property(
      command,
      fc.constantFrom(['(', ')'], ['{ ', '; }'], ['if true; then ', '; fi'], ['! ', ''], ['echo $(', ')']),
      (inner, [open, close]) => {
        expect(milder(read(`${open}${inner}${close}`), read(inner))).toEqual([])
      },
    ),
    RUNS,
  )
})

test('P-24 however a static word is quoted, it means the same', () => {
  const quotings = [
    (text: string): string => `'${text}'`,
    (text: string): string => `"${text}"`,
    (text: string): string => text.replace(/[^\w/.-]|^/g, '\\$&').replace(/^\\(?=\w)/, ''),
    (text: string): string => `$'${text}'`,
    (text: string): string => `${text.slice(0, 1)}''${text.slice(1)}`,
    (text: string): string => `${text.slice(0, 1)}"${text.slice(1)}"`,
  ]
  const word = fc.constantFrom(
    'rm',
    '-rf',
    'cat',
    'src/a',
    'git',
    'push',
    '--force',
    '/etc/passwd',
    'find',
    '-delete',
    'ls',
    'sudo',
    'sort',
    '-o',
  )
  const quoting = fc.constantFrom(...quotings)
  fc.assert(
    fc.property(fc.array(fc.tuple(word, quoting), { minLength: 1, maxLength: 6 }), parts => {
      const written = read(parts.map(([text, quote]) => quote(text)).join(' '))
      const plain = read(parts.map(([text]) => text).join(' '))
      expect(written.facets).toEqual(plain.facets)
      expect(written.class).toBe(plain.class)
    }),
    RUNS,
  )
})

test('P-30 the properties notice a reading that lets something through', () => {
  const broken = (text: string): ShellReading => {
    const reading = read(text)
    return text.startsWith('timeout') ? { ...reading, class: 'read-only', facets: [] } : reading
  }
  expect(milder(broken('timeout 5 rm -rf /'), read('rm -rf /'))).toEqual([
    'read-only instead of destructive',
    'destructive',
    'catastrophic',
  ])
})
