import type { FindingName } from '../findings/catalogue.ts'

/** A class of files that judge the work. A pattern without `/` matches the name in any folder. */
export interface ProtectedRow {
  class: 'config' | 'ci' | 'rules' | 'own'
  finding: FindingName
  files: readonly string[]
  /** `never`: no brief can allow it. */
  mayChange: 'allow_judge_change' | 'never'
  /** A new file of the class can take precedence over what judges. */
  shadows: boolean
}

const CONFIG_TOOLS = 'jest,vitest,playwright,cypress,ava,karma,babel,eslint'

export const PROTECTED_FILES: readonly ProtectedRow[] = [
  {
    class: 'own',
    finding: 'judge.rules-changed',
    files: ['.qed/**'],
    mayChange: 'never',
    shadows: false,
  },
  {
    class: 'config',
    finding: 'judge.config-changed',
    files: [
      `{${CONFIG_TOOLS}}.config.*`,
      '.mocharc*',
      '.babelrc*',
      '.eslintrc*',
      'biome.json*',
      'tsconfig*.json',
      'pytest.ini',
      'tox.ini',
      'setup.cfg',
      'conftest.py',
      '.coveragerc',
      'noxfile.py',
      'phpunit.xml*',
      '.rspec',
      // Make takes the first of these names before any other.
      '{,gnu}makefile',
      'justfile',
      'taskfile.*',
      'rakefile',
      'build.gradle*',
      'pom.xml',
      'cmakelists.txt',
      '**/.cargo/config.toml',
    ],
    mayChange: 'allow_judge_change',
    shadows: true,
  },
  {
    class: 'ci',
    finding: 'judge.ci-changed',
    files: [
      '.github/workflows/**',
      '.gitlab-ci.yml',
      '.circleci/**',
      '.buildkite/**',
      'azure-pipelines.yml',
      'jenkinsfile',
      '.pre-commit-config.yaml',
      '**/.husky/**',
      'lefthook.yml',
    ],
    mayChange: 'allow_judge_change',
    shadows: true,
  },
  {
    class: 'rules',
    finding: 'judge.rules-changed',
    files: [
      '.gitignore',
      '.gitattributes',
      '.gitmodules',
      '.npmrc',
      '.yarnrc*',
      '.nvmrc',
      '.tool-versions',
      '.python-version',
      'rust-toolchain*',
    ],
    mayChange: 'allow_judge_change',
    shadows: true,
  },
]

/** New files that patch a runner or stand in for what it loads. */
export const SHADOWING_FILES: readonly string[] = ['sitecustomize.py', 'usercustomize.py', '**/node_modules/**', '__mocks__/**']

/** Manifests of which only these keys judge; they are compared by value. A trailing `*` stands for the rest of a key's part. */
export const PROTECTED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'package.json': ['scripts', 'jest', 'mocha', 'ava', 'nyc', 'c8', 'overrides', 'resolutions', 'type'],
  'pyproject.toml': ['tool.pytest*', 'tool.coverage*', 'tool.tox*', 'tool.nox*'],
}
