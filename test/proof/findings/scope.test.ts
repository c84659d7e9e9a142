import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judge } from '../../../src/proof/judge.ts'
import { type Files, facts, judged, type Side } from '../../support/proof-facts.ts'

const owned = (...patterns: string[]) => ({ owned: patterns })
const link = (text: string): Side => ({ text, mode: '120000' })

describe('scope.outside-owned', () => {
  test('row 29 what is added, changed or deleted outside what is owned is named', () => {
    const files: Files = { 'src/a.js': ['a', 'b'], 'lib/b.js': ['a', 'b'], 'lib/c.js': [null, 'c'], 'lib/d.js': ['d', null] }
    expect(judged({ files, scope: owned('src/**') })).toEqual([
      'error scope.outside-owned lib/b.js',
      'error scope.outside-owned lib/c.js',
      'error scope.outside-owned lib/d.js',
    ])
  })

  test('row 29 moving an owned file out of scope leaves the scope', () => {
    const files: Files = { 'src/a.js': ['a', null], 'lib/a.js': [null, 'a'] }
    expect(judged({ files, scope: owned('src/**') })).toEqual(['error scope.outside-owned lib/a.js'])
  })

  test('without a scope nothing is said about it', () => {
    expect(judged({ files: { 'lib/b.js': ['a', 'b'] }, scope: { owned: null } })).toEqual([])
  })

  test('a path whose name looks like a pattern is owned by its own name', () => {
    expect(judged({ files: { 'app/[id]/page.js': [null, 'a'] }, scope: owned('app/[id]/page.js') })).toEqual([])
  })

  test('a pattern that can mean nothing owns nothing', () => {
    expect(judged({ files: { 'a.js': [null, 'a'] }, scope: owned('../**', '!b', '') })).toEqual(['error scope.outside-owned a.js'])
  })

  test('every change outside is found, and no other', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const path = fc.tuple(fc.constantFrom('src', 'lib', 'doc'), name, name).map(parts => `${parts.join('/')}.js`)
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 10 }), fc.subarray(['src', 'lib', 'doc']), (paths, folders) => {
        const { findings } = judge(
          facts({
            files: Object.fromEntries(paths.map(one => [one, [null, 'x']])),
            scope: owned(...folders.map(folder => `${folder}/**`)),
          }),
        )
        const left = findings.filter(one => one.id === 'scope.outside-owned').map(one => one.path)
        expect(left).toEqual(paths.filter(one => !folders.some(folder => one.startsWith(`${folder}/`))).sort())
      }),
    )
  })
})

describe('scope.link', () => {
  test.each<[string, Files, boolean]>([
    ['an absolute target', { l: [null, link('/etc/passwd')] }, true],
    ['a target above the tree', { 'a/l': [null, link('../../x')] }, true],
    ['a target that goes up and comes back', { 'a/l': [null, link('../../p/x')] }, true],
    ['a target in git', { l: [null, link('.git/hooks')] }, true],
    ['a drive of Windows', { l: [null, link('C:\\x')] }, true],
    ['a target that is not known', { l: [null, { text: null, mode: '120000' }] }, true],
    ['a way out through another new link', { d: [null, link('.')], l: [null, link('d/../../x')] }, true],
    ['a circle', { a: [null, link('b')], b: [null, link('a')] }, true],
    ['going up from an old link', { d: [link('x/y/z'), link('x/y/z')], l: [null, link('d/../../..')] }, true],
    ['a file that became a link', { l: ['text', link('other')] }, true],
    ['a folder that became a link', { 'd/a': ['x', null], d: [null, link('e')] }, true],
    ['a target beside it', { 'a/l': [null, link('b')] }, false],
    ['a target up and down inside', { 'a/l': [null, link('../b/c')] }, false],
    ['a changed link that stays inside', { l: [link('a'), link('b')] }, false],
    ['a target through an old link', { d: [link('x'), link('x')], l: [null, link('d/y')] }, false],
  ])('%s', (_, files, isFound) => {
    expect(judged({ files }).some(one => one.startsWith('error scope.link'))).toBe(isFound)
  })

  test('row 31 a new second hard link', () => {
    expect(judged({ surroundings: { hard_links: ['src/a.js'] } })).toEqual(['error scope.link src/a.js'])
  })
})

describe('scope.mode', () => {
  test.each<[string, [Side | null, Side | null], string[]]>([
    ['made executable', ['a', { text: 'a', mode: '100755' }], ['review scope.mode x']],
    ['no longer executable', [{ text: 'a', mode: '100755' }, 'a'], ['review scope.mode x']],
    ['a link that became a file', [link('y'), 'a'], ['review scope.mode x']],
    ['a new executable', [null, { text: 'a', mode: '100755' }], []],
    [
      'an executable that changed',
      [
        { text: 'a', mode: '100755' },
        { text: 'b', mode: '100755' },
      ],
      [],
    ],
  ])('%s', (_, sides, found) => expect(judged({ files: { x: sides } })).toEqual(found))
})

describe('scope.clash', () => {
  test.each<[string, Files, string[]]>([
    ['case', { 'Readme.md': ['a', 'a'], 'README.md': [null, 'b'] }, ['error scope.clash README.md']],
    ['Unicode form', { 'caf\u00e9': ['a', 'a'], 'cafe\u0301': [null, 'b'] }, ['error scope.clash cafe\u0301']],
    ['a folder', { 'src/a': ['a', 'a'], 'Src/b': [null, 'b'] }, ['error scope.clash Src/b']],
    ['a file and a folder', { lib: ['a', 'a'], 'LIB/b': [null, 'b'] }, ['error scope.clash LIB/b']],
    ['control characters', { 'a\u001b[2Jb': [null, 'b'] }, ['error scope.clash a\u001b[2Jb']],
    ['a clash that was there before', { a: ['a', 'b'], A: ['a', 'a'] }, []],
    ['a rename to another case', { a: ['a', null], A: [null, 'a'] }, []],
    ['names that only look alike', { a1: ['a', 'a'], al: [null, 'b'] }, []],
  ])('%s', (_, files, found) => expect(judged({ files })).toEqual(found))
})

describe('what lies around', () => {
  test('row 24 ignored files: changed and deleted ask for a look, added ones are noted', () => {
    const ignored = [
      { path: '.env.local', kind: 'changed' as const },
      { path: 'cache', kind: 'added' as const },
      { path: 'data.db', kind: 'deleted' as const },
    ]
    expect(judged({ surroundings: { ignored } })).toEqual([
      'review scope.ignored-changed .env.local',
      'review scope.ignored-changed data.db',
      'info scope.ignored-added cache',
    ])
  })

  test('F-5 with the sandbox in force what changed outside is only noted', () => {
    const outside = [{ path: '/home/u/.bashrc', kind: 'changed' as const }]
    expect(judged({ surroundings: { outside, sandboxed: true, commands: ['echo x >> ~/.bashrc'] } })).toEqual([
      'info scope.outside-noted /home/u/.bashrc',
    ])
  })

  test.each<[string, boolean]>([
    ['echo x >> /home/u/work/main/src/a.js', true],
    ['echo x >> "/home/u/work/main/src/a.js"', true],
    ['echo x >> ~/work/main/src/a.js', true],
    ['sed -i s/a/b/ $HOME/work/main/src/a.js', true],
    ['touch ../../main/src/a.js', true],
    ['cd ~/work/main && echo x > src/a.js', true],
    ['cd /home/u/work/main; rm ./src/a.js', true],
    ['cat src/a.js', false],
    ['echo x > a.js', false],
    ['ls /home/u', false],
    ['cat /home/u/work/main/src/a.json', false],
    ['cat /x/home/u/work/main/src/a.js.bak', false],
    ['cd ~/work/main && npm test', false],
  ])('row 30 scope.outside-root is an error if a command names the path: %j', (command, isNamed) => {
    const outside = [{ path: '/home/u/work/main/src/a.js', kind: 'changed' as const }]
    expect(judged({ surroundings: { outside, commands: ['npm test', command] } })).toEqual([
      `${isNamed ? 'error' : 'review'} scope.outside-root /home/u/work/main/src/a.js`,
    ])
  })

  test('a sacred path', () => expect(judged({ surroundings: { sacred: ['.env'] } })).toEqual(['error scope.sacred .env']))
  test('nothing', () => expect(judged({ surroundings: {} })).toEqual([]))
})
