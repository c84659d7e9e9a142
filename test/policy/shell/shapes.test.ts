import { expect, test } from 'vitest'
import { hasFlag, plainCommand } from '../../../src/policy/shell/index.ts'
import { ROOT, read, touched } from '../../support/shell.ts'

const words = (text: string): { text: string; kind: 'static' }[] => text.split(' ').map(one => ({ text: one, kind: 'static' }))

test('P-63 a segment says everything about one simple command', () => {
  const [segment] = read('A=1 timeout 5 cat "$x" a > out').segments
  expect(segment).toEqual({
    index: 0,
    text: 'A=1 timeout 5 cat "$x" a > out',
    range: [0, 30],
    program: 'cat',
    argv: [
      { text: 'cat', kind: 'static' },
      { text: '$x', kind: 'dynamic' },
      { text: 'a', kind: 'static' },
    ],
    via: 'top',
    wrappers: ['timeout'],
    assignments: [{ name: 'A', value: { text: '1', kind: 'static' } }],
    redirects: [{ operator: '>', descriptor: null, target: { text: 'out', kind: 'static' } }],
    cwd: [ROOT],
    class: 'file-effect',
    category: 'shell',
    flags: ['ambiguous'],
    paths: [
      { path: '/w/p/a', access: 'read' },
      { path: '/w/p/out', access: 'create' },
    ],
  })
})

test('P-63 via tells how a command came about', () => {
  const ways = (command: string): [string, string][] => read(command).segments.map(segment => [segment.program, segment.via])
  expect(ways('echo $(id); (ls); sh -c pwd; find . -exec cat {} \\;')).toEqual([
    ['id', 'substitution'],
    ['echo', 'top'],
    ['ls', 'subshell'],
    ['pwd', 'wrapper'],
    ['find', 'top'],
    ['cat', 'exec'],
  ])
  expect(ways('bash <<EOF\nls\nEOF')).toEqual([['ls', 'heredoc']])
})

test('P-63 the class of a command is read-only only when every segment is, else the gravest', () => {
  const classes = ['ls', 'ls; touch a', 'touch a; curl x.io', 'curl x.io; make', 'make; rm -rf x', 'ls; pwd'].map(
    command => read(command).class,
  )
  expect(classes).toEqual(['read-only', 'file-effect', 'network', 'other', 'destructive', 'read-only'])
})

test('P-63 ranges point into the command, for nested texts at the command around them', () => {
  const command = 'ls && sh -c "pwd; id"'
  expect(read(command).segments.map(({ range, text }) => [command.slice(...range), text])).toEqual([
    ['ls', 'ls'],
    ['sh -c "pwd; id"', 'pwd'],
    ['sh -c "pwd; id"', 'id'],
  ])
})

test('P-4 a command becomes one facet for itself and one for each path, host and secret', () => {
  expect(read('cat a > b').facets).toEqual([
    { category: 'shell', verb: 'process.exec', segment: 0, argv: ['cat', 'a'], flags: [] },
    { category: 'read', verb: 'file.read', segment: 0, path: '/w/p/a', access: 'read', flags: [] },
    { category: 'edit', verb: 'file.write', segment: 0, path: '/w/p/b', access: 'create', flags: [] },
  ])
  expect(read('git push').facets).toEqual([
    { category: 'git', verb: 'process.exec', segment: 0, argv: ['git', 'push'], flags: [] },
    { category: 'network', verb: 'net.send', segment: 0, host: '*', flags: [] },
  ])
  expect(read('echo $API_KEY').facets.at(-1)).toEqual({
    category: 'secrets',
    verb: 'secret.read',
    segment: 0,
    secret: 'API_KEY',
    flags: [],
  })
})

test('P-9 the reason why a command is ambiguous goes with its facet', () => {
  const why = (command: string): unknown => read(command).facets[0]?.ambiguity
  expect([why('cat $x'), why('f() { :; }'), why('watch ls'), why('ls')]).toEqual([
    'dynamic-word',
    'unknown-grammar',
    'ambiguous',
    undefined,
  ])
})

test('P-1 an argument vector is one simple command of static words', () => {
  const reading = read({ argv: ['cat', '$x', '*.ts', 'a b', '>', 'out'] })
  expect([reading.class, reading.grammar, touched(reading)]).toEqual([
    'read-only',
    'known',
    ['read /w/p/$x', 'read /w/p/*.ts', 'read /w/p/a b', 'read /w/p/>', 'read /w/p/out'],
  ])
  expect(read({ argv: ['bash', '-lc', 'rm -rf /'] }).class).toBe('destructive')
  expect(read({ argv: ['ls', 'a\0b'] }).grammar).toBe('unknown')
  expect(read({ argv: [] }).segments).toEqual([])
})

test('P-16 short flags are unbundled, values cut off, and spellings of one program are equal', () => {
  const rm = plainCommand(words('rm -fr x y'))
  expect([rm.program, [...rm.flags].sort(), rm.operands]).toEqual(['rm', ['--force', '--recursive', '-f', '-r'], ['x', 'y']])
  for (const wanted of ['-r', '-R', '--recursive', '-f', '--force']) expect(hasFlag(rm, wanted)).toBe(true)
  expect(hasFlag(rm, '-v')).toBe(false)
  const push = plainCommand(words('git -C sub push --forc origin +main'))
  expect([push.subcommand, push.operands, hasFlag(push, '--force'), hasFlag(push, '-f')]).toEqual(['push', ['origin', '+main'], true, true])
  expect(hasFlag(plainCommand(words('git push --force-with-lease=x')), '--force-with-lease')).toBe(true)
  expect(hasFlag(plainCommand(words('git push --force')), '--force-with-lease')).toBe(false)
  expect(hasFlag(plainCommand(words('grep -f pats a')), '--force')).toBe(false)
  expect(plainCommand(words('docker -H x compose up')).subcommand).toBe('compose')
  expect(hasFlag(plainCommand(words('find . -delete')), '-delete')).toBe(true)
  expect(hasFlag(plainCommand(words('find . -delete')), '-d')).toBe(false)
})
