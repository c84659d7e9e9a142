import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownedPatterns } from '../../src/operations/owned-patterns.ts'
import { temporaryFolder } from '../support/folders.ts'

function project(): string {
  const root = temporaryFolder()
  for (const folder of ['src/deep', 'app/[id]', 'a{b}']) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'README.md'), '')
  symlinkSync('src', join(root, 'link'))
  return root
}

test.each([
  ['src', 'src/**'],
  ['src/', 'src/**'],
  ['./src', 'src/**'],
  ['src/deep', 'src/deep/**'],
  ['.', '**'],
  ['./', '**'],
  ['new/', 'new/**'],
  ['new', 'new'],
  ['README.md', 'README.md'],
  ['./README.md', 'README.md'],
  ['src/**', 'src/**'],
  ['src/*', 'src/*'],
  ['**', '**'],
  // A folder of this very name is meant, and not the letters i and d.
  ['app/[id]', 'app/[[]id]/**'],
  // Braces have no spelling of their own in a pattern, and a link leads who knows where.
  ['a{b}', 'a{b}'],
  ['link', 'link'],
])('of --scope %s is owned %s', (given, owned) => {
  expect(ownedPatterns(project(), [given])).toEqual([owned])
})
