import { type Glob, parseGlobs } from './glob.ts'

/** Folders and files that builds and tools fill; changes there mean nothing as long as git ignores them. */
export const DEFAULT_OUTPUTS: readonly string[] = [
  ...[
    'dist',
    'build',
    'out',
    'target',
    'coverage',
    '.next',
    '.turbo',
    '.nyc_output',
    '.pytest_cache',
    '.mypy_cache',
    '.ruff_cache',
    '__pycache__',
    '.gradle',
    '.tox',
    'node_modules/.cache',
    'node_modules/.vite',
  ].map(folder => `**/${folder}/**`),
  '**/*.tsbuildinfo',
]

/** The prepared layer: dependencies that preparation makes again. */
export const DEFAULT_LAYER: readonly string[] = ['**/node_modules/**', '**/.venv/**']

/** Patterns of whole folders (`x/y/**`), as tests of the folder itself. */
export function folderGlobs(patterns: readonly string[]): Glob[] {
  return parseGlobs(patterns.filter(pattern => pattern.endsWith('/**')).map(pattern => pattern.slice(0, -'/**'.length)))
}

export function fileGlobs(patterns: readonly string[]): Glob[] {
  return parseGlobs(patterns.filter(pattern => !pattern.endsWith('/**')))
}
