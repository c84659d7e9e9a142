import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { instructionReader } from '../../../src/engine/work/instruction-file.ts'
import { temporaryFolder } from '../../support/folders.ts'

test('C-74, I-13: instructions are files of the project; a link to anything else, a pipe or a folder is none', () => {
  const root = temporaryFolder()
  const outside = join(temporaryFolder(), 'notes.md')
  writeFileSync(outside, 'outside')
  writeFileSync(join(root, '.env'), 'A=1')
  writeFileSync(join(root, 'own.md'), 'own')
  symlinkSync('own.md', join(root, 'linked.md'))
  symlinkSync(outside, join(root, 'out.md'))
  symlinkSync('.env', join(root, 'env.md'))
  symlinkSync('self.md', join(root, 'self.md'))
  symlinkSync('/dev/zero', join(root, 'zero.md'))
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'pipe.md')])
  mkdirSync(join(root, 'folder.md'))
  writeFileSync(join(root, 'huge.md'), '')
  truncateSync(join(root, 'huge.md'), 2 << 20)
  const read = instructionReader(root)
  expect(['own.md', 'linked.md'].map(name => read(join(root, name)))).toEqual(['own', 'own'])
  const others = ['out.md', 'env.md', 'self.md', 'zero.md', 'pipe.md', 'folder.md', 'huge.md', 'missing.md']
  expect(others.map(name => read(join(root, name)))).toEqual(others.map(() => null))
})
