import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judge } from '../../../src/proof/judge.ts'
import { judgesOf } from '../../../src/proof/judges/protected.ts'
import { type Files, facts, judged, TEST_PATTERNS } from '../../support/proof-facts.ts'

const changed: Files[string] = ['a\n', 'b\n']

const CONFIG =
  `jest.config.js vitest.config.mts packages/a/playwright.config.ts eslint.config.mjs .mocharc.json .babelrc.js .eslintrc biome.json
  biome.jsonc tsconfig.json tsconfig.build.json pytest.ini tox.ini setup.cfg conftest.py tests/conftest.py .coveragerc noxfile.py phpunit.xml.dist .rspec
  Makefile makefile GNUmakefile sub/Makefile Justfile justfile Taskfile.yml Rakefile build.gradle build.gradle.kts pom.xml CMakeLists.txt .cargo/config.toml`
    .trim()
    .split(/\s+/)
const CI =
  `.github/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml .buildkite/pipeline.yml azure-pipelines.yml Jenkinsfile .pre-commit-config.yaml
  .husky/pre-commit lefthook.yml`
    .trim()
    .split(/\s+/)
const RULES =
  '.gitignore src/.gitignore .gitattributes .gitmodules .npmrc .yarnrc.yml .nvmrc .tool-versions .python-version rust-toolchain.toml'.split(
    ' ',
  )
const FREE = `src/jest.config.helper/a.js src/config.js docs/Makefile.md src/make.js .github/CODEOWNERS tsconfig.md src/setup.py README.md
  src/gitignore.ts conftest.txt`
  .trim()
  .split(/\s+/)

describe('§4 a changed judge is an error, a new one takes its place', () => {
  test.each([
    ...CONFIG.map(path => ['judge.config-changed', path]),
    ...CI.map(path => ['judge.ci-changed', path]),
    ...RULES.map(path => ['judge.rules-changed', path]),
  ])('%s %s', (id, path) => {
    expect([
      judged({ files: { [path]: changed } }),
      judged({ files: { [path]: ['a', null] } }),
      judged({ files: { [path]: [null, 'a'] } }),
      judged({ files: { [path]: changed }, scope: { allow_judges: [path] } }),
      judged({ files: { [path]: [null, 'a'] }, scope: { allow_judges: [path] } }),
      judged({ files: { [path]: changed }, scope: { allow_judges: ['other'] }, standalone: true }),
    ]).toEqual([[`error ${id} ${path}`], [`error ${id} ${path}`], [`error judge.shadowed ${path}`], [], [], [`error ${id} ${path}`]])
  })

  test.each(FREE)('%s is free', path => {
    expect([judged({ files: { [path]: changed } }), judged({ files: { [path]: [null, 'a'] } })]).toEqual([[], []])
  })

  test.each(['sitecustomize.py', 'src/usercustomize.py', 'node_modules/x/index.js', 'packages/a/node_modules/x.js', '__mocks__/fs.js'])(
    'F-18 a new %s stands before what judges',
    path => expect(judged({ files: { [path]: [null, 'a'] } })).toEqual([`error judge.shadowed ${path}`]),
  )

  test.each(['src/__mocks__/fs.js', 'test/fixtures/node_modules/x.js', 'src/customize.py'])('F-18 a new %s does not', path => {
    expect(judged({ files: { [path]: [null, 'a'] } })).toEqual([])
  })

  test('.qed is never free, whatever the brief says', () => {
    expect(judged({ files: { '.qed/policy.json': changed, '.QED/x': [null, 'a'] }, scope: { allow_judges: ['**'] } })).toEqual([
      'error judge.rules-changed .QED/x',
      'error scope.clash .QED/x',
      'error judge.rules-changed .qed/policy.json',
    ])
  })

  test('F-17 a project may protect more', () => {
    const settings = { protect: ['scripts/gate.js'] }
    expect([judged({ files: { 'scripts/gate.js': changed }, settings }), judged({ files: { 'scripts/gate.js': changed } })]).toEqual([
      ['error judge.config-changed scripts/gate.js'],
      [],
    ])
  })
})

describe('§4 row 1: what the verify command reads', () => {
  test('row 7 a script of the command', () => {
    const files: Files = { 'scripts/verify.sh': ['npm test\n', 'npm test\nexit 0\n'] }
    expect([
      judged({ files, verify_inputs: ['scripts/verify.sh'] }),
      judged({ files, verify_inputs: ['scripts/verify.sh'], scope: { allow_judges: ['scripts/verify.sh'] } }),
      judged({ files }),
    ]).toEqual([['error judge.verify-changed scripts/verify.sh'], [], []])
  })

  test('a manifest that the command reads judges by its keys', () => {
    const allowed = { scope: { allow_dependencies: true }, verify_inputs: ['package.json', 'Cargo.toml', 'requirements.txt'] }
    expect([
      judged({ files: { 'package.json': ['{"version":"1"}', '{"version":"2","dependencies":{"a":"1"}}'] }, ...allowed }),
      judged({ files: { 'Cargo.toml': ['', '[dependencies]\na = "1"'] }, ...allowed }),
      judged({ files: { 'requirements.txt': ['', 'a==1'] }, ...allowed }),
      judged({ files: { 'Cargo.toml': ['', '[[test]]\nname = "x"'] }, ...allowed }),
    ]).toEqual([[], [], [], ['error judge.verify-changed Cargo.toml']])
  })
})

describe('§4 row 4: protected keys by value', () => {
  const manifest = (own: object): string => JSON.stringify({ name: 'x', scripts: { test: 'jest' }, ...own })
  test.each<[string, string, string | null, string | null]>([
    ['package.json', manifest({}), manifest({ scripts: { test: 'node ok.js' } }), 'scripts'],
    ['package.json', manifest({}), manifest({ jest: { testMatch: [] } }), 'jest'],
    ['package.json', manifest({ type: 'module' }), manifest({}), 'type'],
    ['packages/a/package.json', manifest({}), manifest({ mocha: {}, c8: {} }), 'c8, mocha'],
    ['package.json', manifest({}), '{ not json', 'not readable'],
    ['package.json', manifest({}), null, 'scripts'],
    ['package.json', manifest({}), manifest({ version: '2', files: ['a'] }), null],
    ['package.json', manifest({}), JSON.stringify({ scripts: { test: 'jest' }, name: 'y' }, null, 2), null],
    ['test/fixtures/a.test/package.json', manifest({}), manifest({}), null],
    ['pyproject.toml', '', '[tool.pytest.ini_options]\naddopts = "-k none"', 'tool.pytest.ini_options.addopts'],
    ['pyproject.toml', '[tool.coverage.run]\na = 1', '[tool.coverage.run]\na = 2', 'tool.coverage.run.a'],
    ['pyproject.toml', '[tool.tox]\na = 1', '', 'tool.tox.a'],
    ['pyproject.toml', '[tool.ruff]\na = 1', '[tool.ruff]\na = 2', null],
    ['pyproject.toml', '[tool.pytest]\na = 1', '[tool]\npytest = { a = 1 } # same', null],
  ])('%s %j → %j', (path, before, after, keys) => {
    const files: Files = { [path]: [before, after] }
    const found = judge(facts({ files })).findings.filter(one => one.id === 'judge.script-changed')
    expect(found.map(one => one.measured)).toEqual(keys === null ? [] : [keys])
    expect(judged({ files, scope: { allow_judges: [path] } })).not.toContain(`error judge.script-changed ${path}`)
  })

  test('a new manifest of a new package is free', () => {
    expect(judged({ files: { 'packages/b/package.json': [null, '{"scripts":{"test":"jest"}}'] } })).toEqual([])
  })
})

describe('§4 row 6: existing tests', () => {
  const files: Files = { 'test/a.test.js': ['a', 'b'] }
  test.each<[string, object, string[]]>([
    ['without leave', {}, ['error judge.test-changed test/a.test.js']],
    [
      'with leave, but not owned',
      { owned: ['src/**'], allow_tests: ['**'] },
      ['error judge.test-changed test/a.test.js', 'error scope.outside-owned test/a.test.js'],
    ],
    ['owned, with leave for another', { allow_tests: ['test/b.test.js'] }, ['error judge.test-changed test/a.test.js']],
    ['owned and with leave', { allow_tests: ['test/a.test.js'] }, []],
    ['standalone with leave', { owned: null, allow_tests: ['**'] }, []],
  ])('%s', (_, scope, found) => expect(judged({ files, scope })).toEqual(found))

  test.each([
    'a/__tests__/b.js',
    'test_a.py',
    'pkg/a_test.go',
    'spec/a_spec.rb',
    'src/ATests.cs',
    'a/__snapshots__/b.snap',
    'testdata/x.json',
    'golden/y',
  ])('a changed or deleted %s is a changed test, a new one is not', path => {
    const judges = (found: string[]): string[] => found.filter(one => one.includes(' judge.'))
    expect([
      judges(judged({ files: { [path]: ['a', 'b'] } })),
      judges(judged({ files: { [path]: ['a', null] } })),
      judges(judged({ files: { [path]: [null, 'b'] } })),
    ]).toEqual([[`error judge.test-changed ${path}`], [`error judge.test-changed ${path}`], []])
  })

  test('§13 row 3 a test moved inside the leave is fine', () => {
    expect(
      judged({ files: { 'test/a.test.js': ['a', null], 'test/b.test.js': [null, 'a'] }, scope: { allow_tests: ['test/**'] } }),
    ).toEqual([])
  })
})

test('F-15 what is protected in any way can be asked for', () => {
  const { isProtected } = judgesOf({ settings: { ...facts().settings, tests: TEST_PATTERNS }, verify_inputs: ['check.sh'] })
  expect(['check.sh', 'tsconfig.json', '.qed/x', 'package.json', 'go.sum', 'src/a.js'].map(isProtected)).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ])
})

test('no leave of a brief covers what it does not name', () => {
  const judges = [...CONFIG, ...CI, ...RULES]
  fc.assert(
    fc.property(fc.constantFrom(...judges), fc.subarray(judges), (path, allowed) => {
      const found = judged({ files: { [path]: changed }, scope: { allow_judges: allowed, allow_tests: ['**'], allow_dependencies: true } })
      expect(found.length > 0).toBe(!allowed.includes(path))
    }),
  )
})
