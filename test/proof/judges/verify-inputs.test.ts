import { describe, expect, test } from 'vitest'
import { compilePathPattern } from '../../../src/policy/patterns/path-pattern.ts'
import { readShell } from '../../../src/policy/read-shell.ts'
import { judgesToBeWritten } from '../../../src/proof/judges/own-judge.ts'
import { verifyInputs } from '../../../src/proof/judges/verify-inputs.ts'
import { DEFAULT_TESTS } from '../../../src/proof/settings/test-side.ts'

const patterns = DEFAULT_TESTS.map(pattern => compilePathPattern(pattern))
const isTestSide = (path: string): boolean => patterns.some(pattern => pattern.matches(path))

function inputsOf(command: string, files: Record<string, string>): Promise<string[]> {
  const paths = new Map(Object.entries(files))
  return verifyInputs({ command, paths, read: path => Promise.resolve(paths.get(path) ?? null), isTestSide, readShell })
}

const manifest = (scripts: Record<string, string>, name = 'x'): string => JSON.stringify({ name, scripts })

describe('§4 the files by which a verify command judges', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['node --test', { 'src/a.js': '' }, []],
    ['node check.mjs', { 'check.mjs': '' }, ['check.mjs']],
    ['node check.mjs data/cases.json', { 'check.mjs': '', 'data/cases.json': '' }, ['check.mjs', 'data/cases.json']],
    ['node --test test/a.test.js', { 'test/a.test.js': '' }, []],
    ['npx vitest run --config=conf/v.ts', { 'conf/v.ts': '' }, ['conf/v.ts']],
    ['./verify.sh && true', { 'verify.sh': '' }, ['verify.sh']],
    ['cd tools && ./verify.sh', { 'tools/verify.sh': '', 'verify.sh': '' }, ['tools/verify.sh']],
    ['timeout 60 env A=1 bash scripts/verify.sh', { 'scripts/verify.sh': '' }, ['scripts/verify.sh']],
    ['bash -c "node check.mjs"', { 'check.mjs': '' }, ['check.mjs']],
    ['node run.js < input.txt', { 'run.js': '', 'input.txt': '' }, ['input.txt', 'run.js']],
    ['diff expected.txt <(node run.js)', { 'run.js': '', 'expected.txt': '' }, ['expected.txt', 'run.js']],
    ['node ../outside.js /etc/passwd', { 'outside.js': '', 'etc/passwd': '' }, []],
    ['node missing.js', {}, []],
    ['', {}, []],
    ['if [', { if: '' }, []],
  ])('%s', async (command, files, expected) => {
    expect(await inputsOf(command, files)).toEqual(expected)
  })
})

describe('§4 scripts that a command leads to', () => {
  const shell = {
    'a.sh': 'set -e\nsource lib/b.sh\nnode x.js "$1"\n',
    'lib/b.sh': './c.sh\n',
    'c.sh': '#!/bin/sh\nsh d.sh\n',
    'd.sh': 'sh e.sh\n',
    'e.sh': '',
  }
  const withX = { ...shell, 'x.js': '' }

  test('shell scripts are followed by literal path, three levels below the one that is named', async () => {
    expect(await inputsOf('sh a.sh', withX)).toEqual(['a.sh', 'c.sh', 'd.sh', 'lib/b.sh', 'x.js'])
  })

  test('operands of a script that is only called are not judges', async () => {
    expect(await inputsOf('sh a.sh', { 'a.sh': 'wc -l src/big.ts\nnode x.js src/big.ts\n', 'x.js': '', 'src/big.ts': '' })).toEqual([
      'a.sh',
      'x.js',
    ])
  })

  test('scripts that call themselves or each other end', async () => {
    expect(await inputsOf('sh a.sh', { 'a.sh': 'sh b.sh', 'b.sh': 'sh a.sh' })).toEqual(['a.sh', 'b.sh'])
  })

  test('a program in another language is followed where it starts a process, not where it imports', async () => {
    const files = {
      'check.mjs': `import { sum } from './src/sum.js'\nexecFileSync('node', ['tools/one.mjs', 'src/sum.js'])\nspawn("bash tools/two.sh")\n`,
      'tools/one.mjs': '',
      'tools/two.sh': 'python3 tools/three.py',
      'tools/three.py': 'subprocess.run(["sh", "tools/four.sh"])',
      'tools/four.sh': '',
      'src/sum.js': '',
    }
    expect(await inputsOf('node check.mjs', files)).toEqual([
      'check.mjs',
      'tools/four.sh',
      'tools/one.mjs',
      'tools/three.py',
      'tools/two.sh',
    ])
  })

  test('a test-side script is no input, but what it calls is', async () => {
    expect(await inputsOf('sh test/run.sh', { 'test/run.sh': 'node tools/one.mjs\n', 'tools/one.mjs': '' })).toEqual(['tools/one.mjs'])
  })
})

describe('§4 manifest scripts', () => {
  const files = {
    'package.json': manifest({
      pretest: 'node pre.js',
      test: 'npm run -s check && node main.js',
      check: 'bash check.sh',
      start: 'node start.js',
    }),
    'pre.js': '',
    'main.js': '',
    'check.sh': '',
    'start.js': '',
  }
  test.each([
    'npm test',
    'npm t -- --reporter dot',
    'npm run test',
    'npm run-script test',
    'pnpm test',
    'pnpm run test',
    'yarn test',
    'yarn run test',
    'bun run test',
    'node --run test',
    'CI=1 npm test',
    'npm --silent test',
  ])('%s leads to what its script runs, before and after it too', async command => {
    expect(await inputsOf(command, files)).toEqual(['check.sh', 'main.js', 'pre.js'])
  })

  test.each([
    ['npm run other', []],
    ['npm install', []],
    ['npm start', ['start.js']],
    ['pnpm check', ['check.sh']],
    ['yarn check', ['check.sh']],
    ['bun test', ['check.sh', 'main.js', 'pre.js']],
  ])('%s: %j', async (command, expected) => {
    expect(await inputsOf(command, files)).toEqual(expected)
  })

  test('a manifest in another folder and the nearest one above are found', async () => {
    const nested = { 'pkg/a/package.json': manifest({ test: 'node t.js' }, 'a'), 'pkg/a/t.js': '', 'pkg/a/src/x.js': '', ...files }
    expect(await inputsOf('npm --prefix pkg/a test', nested)).toEqual(['pkg/a/t.js'])
    expect(await inputsOf('cd pkg/a/src && npm test', nested)).toEqual(['pkg/a/t.js'])
    expect(await inputsOf('npm test -w pkg/a', nested)).toEqual(['pkg/a/t.js'])
    expect(await inputsOf('npm test --workspace=a', nested)).toEqual(['pkg/a/t.js'])
    expect(await inputsOf('pnpm -r test', nested)).toEqual(['pkg/a/t.js'])
    expect(await inputsOf('yarn workspace a test', nested)).toEqual(['pkg/a/t.js'])
  })

  test.each(['{', '[]', '{"scripts": []}', '{"scripts": {"test": 1}}', '{"scripts": {"__proto__": {"test": "node x.js"}}}'])(
    'a manifest like %s leads nowhere',
    async text => {
      expect(await inputsOf('npm test', { 'package.json': text, 'x.js': '' })).toEqual([])
    },
  )
})

describe('§4 targets', () => {
  const makefile = `
NODE := node
include common.mk
.PHONY: all test
all: build
build:
\t@echo build
test: lint \\
      unit
\t-$(NODE) tools/test.js $(ARGS)
lint: ; sh tools/lint.sh
unit:
\tcd sub && ./unit.sh
deploy:
\tsh tools/deploy.sh
`
  const tools = { 'tools/test.js': '', 'tools/lint.sh': '', 'sub/unit.sh': '', 'tools/deploy.sh': '', 'common.mk': '' }

  test('make: the file, what it includes, and what the target and its needs run', async () => {
    expect(await inputsOf('make -s test', { Makefile: makefile, ...tools })).toEqual([
      'Makefile',
      'common.mk',
      'sub/unit.sh',
      'tools/lint.sh',
      'tools/test.js',
    ])
    expect(await inputsOf('make', { Makefile: makefile, ...tools })).toEqual(['Makefile', 'common.mk'])
    expect(await inputsOf('make -C w test', { 'w/Makefile': makefile, 'w/tools/test.js': '' })).toEqual(['w/Makefile', 'w/tools/test.js'])
    expect(await inputsOf('make -f build/x.mk t', { 'build/x.mk': 't:\n\tsh a.sh\n', 'a.sh': '' })).toEqual(['a.sh', 'build/x.mk'])
  })

  test('just', async () => {
    const justfile = `x := "1"\n\n# all of it\ntest filter="": lint\n    @node tools/test.js {{filter}}\n\nlint:\n  sh tools/lint.sh\n\nother:\n  sh tools/deploy.sh\n`
    expect(await inputsOf('just test', { justfile, ...tools })).toEqual(['justfile', 'tools/lint.sh', 'tools/test.js'])
  })

  test('task', async () => {
    const taskfile = `version: '3'\ntasks:\n  test:\n    deps: [lint]\n    cmds:\n      - node tools/test.js {{.CLI_ARGS}}\n      - task: unit\n  lint: sh tools/lint.sh\n  unit:\n    cmds:\n      - cmd: 'sh sub/unit.sh'\n  other:\n    cmds:\n      - sh tools/deploy.sh\n`
    expect(await inputsOf('task test', { 'Taskfile.yml': taskfile, ...tools })).toEqual([
      'Taskfile.yml',
      'sub/unit.sh',
      'tools/lint.sh',
      'tools/test.js',
    ])
  })
})

describe('F-20 a judge that the worker would write itself', () => {
  const judges = (command: string, more: { base?: string[]; owned?: string[]; manifest?: string | null } = {}): string[] => {
    const owned = (more.owned ?? ['**']).map(pattern => compilePathPattern(pattern))
    return judgesToBeWritten({
      command,
      isInBase: path => (more.base ?? []).includes(path),
      isOwned: path => owned.some(pattern => pattern.matches(path)),
      isTestSide,
      manifest: more.manifest ?? null,
      readShell,
    })
  }

  test.each<[string, Parameters<typeof judges>[1], string[]]>([
    ['sh verify.sh', {}, ['verify.sh']],
    ['./scripts/verify', {}, ['scripts/verify']],
    ['cd tools && node check.mjs', {}, ['tools/check.mjs']],
    ['npx tsx tools/check.ts', {}, ['tools/check.ts']],
    ['node --import ./hook.mjs --test', {}, ['hook.mjs']],
    ['npm run verify', { manifest: manifest({ test: 'x' }) }, ['package.json']],
    ['npm test', { manifest: null }, ['package.json']],
    ['sh verify.sh', { base: ['verify.sh'] }, []],
    ['sh verify.sh', { owned: ['src/**'] }, []],
    ['node --test test/new.test.js', {}, []],
    ['npm test', { manifest: manifest({ test: 'x' }) }, []],
    ['npm run verify', { owned: ['src/**'] }, []],
    ['pytest -q', {}, []],
    ['bash -c "exit 1"', {}, []],
  ])('%s %j', (command, more, expected) => {
    expect(judges(command, more)).toEqual(expected)
  })
})
