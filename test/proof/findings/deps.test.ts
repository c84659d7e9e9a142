import { describe, expect, test } from 'vitest'
import { judge } from '../../../src/proof/judge.ts'
import { type Files, facts, judged } from '../../support/proof-facts.ts'

const leave = { scope: { allow_dependencies: true } }

describe('deps.changed', () => {
  test.each<[string, string | null, string | null]>([
    ['package.json', '{"dependencies":{"a":"1"}}', '{"dependencies":{"a":"2"}}'],
    ['package.json', '{"a":1}', 'not json'],
    ['packages/x/package.json', null, '{"devDependencies":{"a":"1"}}'],
    ['package-lock.json', '{}', '{"packages":{}}'],
    ['pnpm-lock.yaml', 'a: 1', 'a: 2'],
    ['yarn.lock', 'a', 'b'],
    ['bun.lock', '{}', '{"a":1}'],
    ['uv.lock', '', 'a = 1'],
    ['poetry.lock', 'a = 1', null],
    ['requirements-dev.txt', 'a==1', 'a==2'],
    ['go.mod', 'a', 'b'],
    ['go.sum', 'a', 'b'],
    ['Cargo.lock', '', 'a = 1'],
    ['Cargo.toml', '', '[dependencies]\na = "1"'],
    ['pyproject.toml', '', '[project]\ndependencies = ["a"]'],
  ])('row 37 %s: an error without leave, fine with it', (path, before, after) => {
    const files: Files = { [path]: [before, after] }
    expect(judged({ files })).toContain(`error deps.changed ${path}`)
    expect(judged({ files, ...leave }).filter(one => one.includes('deps.'))).toEqual([])
  })

  test.each<[string, string, string]>([
    ['package.json', '{"dependencies":{"a":"1"}}', '{ "dependencies": { "a": "1" }, "description": "x" }'],
    ['pyproject.toml', '[project]\nversion = "1"', '[project]\nversion = "2"'],
    ['Cargo.toml', '[package]\nversion = "1"', '[package]\nversion = "2"'],
    ['docs/requirements.md', 'a', 'b'],
  ])('%s: a change of something else is none', (path, before, after) => {
    expect(judged({ files: { [path]: [before, after] } })).toEqual([])
  })

  test('a lock file that a test reads is the test’s', () => {
    expect(judged({ files: { 'test/fixtures/package-lock.json': [null, '{}'] } })).toEqual([])
  })
})

const npm = (version: string, integrity: string | undefined, own: object = {}): string =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: { '': { name: 'me' }, 'node_modules/a': { version, integrity, resolved: 'https://r.example/a.tgz', ...own } },
  })
const lines = (...all: string[]): string => `${all.join('\n')}\n`
const bun = (version: string, integrity: string): string =>
  `{ "lockfileVersion": 1, "packages": { "a": ["a@${version}", "", {}, "${integrity}"], }, }`
const cargo = (version: string, checksum: string): string =>
  lines('[[package]]', 'name = "a"', `version = "${version}"`, `checksum = "${checksum}"`)
const poetry = (version: string, ...files: [string, string][]): string =>
  lines(
    '[[package]]',
    'name = "a"',
    `version = "${version}"`,
    'files = [',
    ...files.map(([file, hash]) => `  {file = "${file}", hash = "sha256:${hash}"},`),
    ']',
  )
const uv = (version: string, hash: string): string =>
  lines(
    '[[package]]',
    'name = "a"',
    `version = "${version}"`,
    'source = { registry = "https://p.example" }',
    'wheels = [',
    `  { url = "https://f.example/a.whl", hash = "sha256:${hash}", size = 1 },`,
    ']',
  )
const yarn = (version: string, integrity: string): string =>
  lines(
    '# yarn lockfile v1',
    '',
    'a@^1.0.0:',
    `  version "${version}"`,
    '  resolved "https://r.example/a.tgz#x"',
    `  integrity ${integrity}`,
  )
const berry = (version: string, checksum: string): string =>
  lines(
    '__metadata:',
    '  version: 8',
    '',
    '"a@npm:^1.0.0":',
    `  version: ${version}`,
    `  resolution: "a@npm:${version}"`,
    `  checksum: 10c0/${checksum}`,
  )
const pnpm = (version: string, integrity: string): string =>
  lines(
    "lockfileVersion: '9.0'",
    '',
    'packages:',
    '',
    `  '@s/a@${version}':`,
    `    resolution: {integrity: ${integrity}}`,
    '',
    'snapshots:',
    '',
    `  '@s/a@${version}': {}`,
  )

describe('deps.mismatch', () => {
  test.each<[string, string, string]>([
    ['package-lock.json', npm('1.0.0', 'sha512-A'), npm('1.0.0', 'sha512-B')],
    ['package-lock.json', npm('1.0.0', 'sha512-A'), npm('1.0.0', undefined)],
    ['package-lock.json', npm('1.0.0', 'sha512-A'), npm('1.0.0', 'sha1-B')],
    [
      'package-lock.json',
      '{"dependencies":{"a":{"version":"1","integrity":"sha1-A"}}}',
      '{"dependencies":{"a":{"version":"1","integrity":"sha1-B"}}}',
    ],
    ['pnpm-lock.yaml', pnpm('1.0.0', 'sha512-A'), pnpm('1.0.0', 'sha512-B')],
    ['yarn.lock', yarn('1.0.0', 'sha512-A'), yarn('1.0.0', 'sha512-B')],
    ['yarn.lock', berry('1.0.0', 'aa'), berry('1.0.0', 'bb')],
    ['bun.lock', bun('1.0.0', 'sha512-A'), bun('1.0.0', 'sha512-B')],
    ['Cargo.lock', cargo('1.0.0', 'aa'), cargo('1.0.0', 'bb')],
    ['poetry.lock', poetry('1.0.0', ['a.whl', 'aa']), poetry('1.0.0', ['a.whl', 'bb'])],
    ['uv.lock', uv('1.0.0', 'aa'), uv('1.0.0', 'bb')],
    ['go.sum', 'a v1.0.0 h1:A=\n', 'a v1.0.0 h1:B=\n'],
    ['requirements.txt', 'a==1.0 \\\n  --hash=sha256:aa\n', 'a==1.0 \\\n  --hash=sha256:bb\n'],
    ['requirements.txt', 'a==1.0 --hash=sha256:aa --hash=sha256:bb\n', 'a==1.0 --hash=sha256:aa --hash=sha256:cc\n'],
  ])('row 38 %s: another integrity for the same version, also with leave', (path, before, after) => {
    expect(judged({ files: { [path]: [before, after] }, ...leave })).toEqual([`error deps.mismatch ${path}`])
  })

  test.each<[string, string, string]>([
    ['package-lock.json', npm('1.0.0', 'sha512-A'), npm('1.0.1', 'sha512-B')],
    ['package-lock.json', npm('1.0.0', 'sha1-A'), npm('1.0.0', 'sha512-B')],
    ['package-lock.json', npm('1.0.0', undefined), npm('1.0.0', 'sha512-B')],
    ['package-lock.json', npm('1.0.0', 'sha512-A'), npm('1.0.0', 'sha512-A', { resolved: 'https://mirror.example/a.tgz' })],
    ['pnpm-lock.yaml', pnpm('1.0.0', 'sha512-A'), pnpm('1.1.0', 'sha512-B')],
    ['yarn.lock', yarn('1.0.0', 'sha512-A'), yarn('1.1.0', 'sha512-B')],
    ['yarn.lock', berry('1.0.0', 'aa'), berry('1.0.1', 'bb')],
    ['bun.lock', bun('1.0.0', 'sha512-A'), bun('1.0.1', 'sha512-B')],
    ['Cargo.lock', cargo('1.0.0', 'aa'), cargo('1.0.1', 'bb')],
    ['poetry.lock', poetry('1.0.0', ['a.whl', 'aa']), poetry('1.0.0', ['a.whl', 'aa'], ['b.whl', 'bb'])],
    ['uv.lock', uv('1.0.0', 'aa'), uv('1.0.1', 'bb')],
    ['go.sum', 'a v1.0.0 h1:A=\n', 'a v1.0.0 h1:A=\na v1.0.1 h1:B=\n'],
    ['requirements.txt', 'a==1.0 --hash=sha256:aa\n', 'a==1.0 --hash=sha256:aa --hash=sha256:bb\n'],
    ['Cargo.lock', cargo('1.0.0', 'aa'), 'not toml'],
  ])('§13 row 5 %s: an honest update is none', (path, before, after) => {
    expect(judged({ files: { [path]: [before, after] }, ...leave })).toEqual([])
  })

  test('preparation that works from the base and not from the result', () => {
    const { prepare } = facts()
    expect(judged({ prepare: { ...prepare, outcome: 'made', mismatch: 'npm ci: out of sync' } })).toEqual(['error deps.mismatch'])
  })
})

describe('deps.scripts', () => {
  const risks = (files: Files): (string | undefined)[] => {
    const { findings } = judge(facts({ files, ...leave }))
    return findings.filter(one => one.id === 'deps.scripts').map(one => one.measured)
  }

  test.each<[string, string, string, string]>([
    ['package-lock.json', '{}', npm('1.0.0', 'sha512-A', { hasInstallScript: true }), 'a@1.0.0 runs scripts on install'],
    [
      'package-lock.json',
      '{}',
      npm('1.0.0', undefined, { resolved: 'git+ssh://git@h.example/a.git#1' }),
      'a from git+ssh://git@h.example/a.git#1',
    ],
    ['package-lock.json', '{}', npm('1.0.0', undefined, { resolved: 'file:../a.tgz' }), 'a from file:../a.tgz'],
    ['package.json', '{}', '{"dependencies":{"a":"github:u/a"}}', 'a from github:u/a'],
    ['package.json', '{}', '{"dependencies":{"a":"u/a#main"}}', 'a from u/a#main'],
    ['package.json', '{}', '{"devDependencies":{"a":"https://x.example/a.tgz"}}', 'a from https://x.example/a.tgz'],
    ['package.json', '{}', '{"dependencies":{"a":"file:../a"}}', 'a from file:../a'],
    ['Cargo.toml', '', '[dependencies]\na = { git = "https://x.example/a" }', 'a from git https://x.example/a'],
    ['Cargo.toml', '', "[target.'cfg(unix)'.dependencies.a]\npath = '../a'", 'a from path ../a'],
    ['Cargo.lock', '', '[[package]]\nname = "a"\nversion = "1"\nsource = "git+https://x.example/a#1"', 'a from git+https://x.example/a#1'],
    ['pyproject.toml', '', '[project]\ndependencies = ["a @ git+https://x.example/a"]', 'a from git+https://x.example/a'],
    ['pyproject.toml', '', '[tool.uv.sources]\na = { path = "../a" }', 'a from path ../a'],
    [
      'pyproject.toml',
      '',
      '[tool.poetry.group.dev.dependencies]\na = {url = "https://x.example/a.whl"}',
      'a from url https://x.example/a.whl',
    ],
    ['requirements.txt', '', '-e git+https://x.example/a#egg=a', 'git+https://x.example/a#egg=a from git+https://x.example/a#egg=a'],
    ['requirements.txt', '', 'a @ https://x.example/a.whl', 'a from https://x.example/a.whl'],
    ['requirements.txt', '', '--extra-index-url https://x.example/simple', 'https://x.example/simple from https://x.example/simple'],
    ['go.mod', '', 'replace m.example/a => ../a', 'm.example/a from ../a'],
    ['uv.lock', '', '[[package]]\nname = "a"\nversion = "1"\nsource = { git = "https://x.example/a" }', 'a from git https://x.example/a'],
    [
      'poetry.lock',
      '',
      '[[package]]\nname = "a"\nversion = "1"\n[package.source]\ntype = "git"\nurl = "https://x.example/a"',
      'a from git https://x.example/a',
    ],
    [
      'yarn.lock',
      '',
      '"a@github:u/a":\n  version: 1.0.0\n  resolution: "a@https://github.com/u/a.git#commit=1"\n',
      'a from https://github.com/u/a.git#commit=1',
    ],
    [
      'pnpm-lock.yaml',
      '',
      'packages:\n\n  a@1.0.0:\n    resolution: {integrity: sha512-A}\n    requiresBuild: true\n',
      'a@1.0.0 runs scripts on install',
    ],
  ])('%s %#: %j → %j', (path, before, after, measured) => expect(risks({ [path]: [before, after] })).toEqual([measured]))

  test.each<[string, string, string]>([
    ['package-lock.json', npm('1.0.0', 'sha512-A', { hasInstallScript: true }), npm('1.0.1', 'sha512-B', { hasInstallScript: true })],
    ['package-lock.json', '{}', '{"packages":{"packages/a":{"version":"1"},"node_modules/a":{"resolved":"packages/a","link":true}}}'],
    ['package.json', '{"dependencies":{"a":"github:u/a"}}', '{"dependencies":{"a":"github:u/a","b":"^1.0.0"}}'],
    ['package.json', '{}', '{"dependencies":{"a":"workspace:*","b":"npm:c@1","d":"1.x || >=2","e":"latest"}}'],
    ['Cargo.toml', '', '[dependencies]\na = { version = "1", features = ["x"] }'],
    ['uv.lock', '', '[[package]]\nname = "me"\nversion = "1"\nsource = { editable = "." }'],
    ['requirements.txt', '', '# https://x.example\na==1\n-e .\n-r other.txt'],
    ['go.mod', '', 'replace m.example/a => m.example/b v1.0.0'],
  ])('%s %#: nothing new of that kind', (path, before, after) => expect(risks({ [path]: [before, after] })).toEqual([]))

  test('one dependency is one finding, whichever files name it', () => {
    const files: Files = {
      'package.json': ['{}', '{"dependencies":{"a":"git+ssh://git@h.example/a.git"}}'],
      'package-lock.json': ['{}', npm('1.0.0', undefined, { resolved: 'git+ssh://git@h.example/a.git#1', hasInstallScript: true })],
    }
    expect(risks(files)).toHaveLength(1)
  })
})
