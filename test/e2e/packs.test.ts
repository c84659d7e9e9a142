import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { cleanEnv, qed } from '../support/qed.ts'

const root = join(import.meta.dirname, '../..')

/** The program as it is installed, without what earlier starts have kept. */
function installed() {
  const folder = temporaryFolder()
  for (const part of ['bin', 'dist/program', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'dist/compile-cache'))
  const env = cleanEnv()
  return {
    folder,
    kept: () => globSync(join(folder, 'dist/compile-cache/*/*.pack.js')),
    start: (...args: string[]) => qed(args, { command: [join(folder, 'bin/qed')], env }),
  }
}

/** Bytes in which V8 says for what a cache is. */
const HEADER = 16

const answered = { exit: 0, stdout: expect.stringContaining('qed init'), stderr: '' }

test('a start keeps what V8 made of the packs it opened, and no other', async () => {
  const { kept, start } = installed()
  expect(await start('--version')).toMatchObject({ exit: 0 })
  expect(kept()).toEqual([])
  expect(await start('status')).toMatchObject(answered)
  expect(kept()).toEqual([expect.stringContaining('/start-')])
})

test('the packs hold nothing that only some commands and runs need', () => {
  const loader = readFileSync(join(root, 'dist/program/loader.js'), 'utf8')
  const packed = [...loader.matchAll(/"\.\/([a-z-]+)-[A-Z0-9]{8}\.js"/g)].map(([, name]) => name)
  expect(packed).toEqual(expect.arrayContaining(['cli', 'run', 'keeping', 'sandbox']))
  expect(packed.filter(name => /^(otlp|connect|proofs|serve|webapi)$/.test(name ?? ''))).toEqual([])
})

test('what was kept and is cut off, empty, damaged or no cache at all is made again', async () => {
  const { kept, start } = installed()
  await start('status')
  const [file = ''] = kept()
  const whole = readFileSync(file)
  for (const damage of [
    () => truncateSync(file, whole.length / 2),
    () => truncateSync(file, 0),
    () => writeFileSync(file, Buffer.alloc(whole.length)),
    () => writeFileSync(file, Buffer.from(whole).fill(0xff, whole.length / 4, whole.length / 4 + 4096)),
    () => writeFileSync(file, Buffer.from(whole).fill(0xff, whole.length - 4096)),
  ]) {
    damage()
    expect(await start('status')).toMatchObject(answered)
    expect(readFileSync(file).subarray(0, HEADER)).toEqual(whole.subarray(0, HEADER))
    expect(readFileSync(file).length).toBeGreaterThan(whole.length * 0.9)
  }
})

test('where nothing can be kept, the answer is the same and nothing is left behind', async () => {
  const { folder, start } = installed()
  await start('--version')
  rmSync(join(folder, 'dist/compile-cache'), { recursive: true })
  const home = temporaryFolder()
  writeFileSync(join(home, '.cache'), 'a file where the folder of caches would be')
  expect(await qed(['status'], { command: [join(folder, 'bin/qed')], env: cleanEnv(home) })).toMatchObject(answered)
  expect(existsSync(join(folder, 'dist/compile-cache'))).toBe(false)
})

test('a part outside of packs and one inside share what they both use', async () => {
  const { start } = installed()
  // The catalogue lists operations from both.
  const { operations } = JSON.parse((await start('discover', '--json')).stdout) as { operations: { name: string }[] }
  expect(operations.map(({ name }) => name)).toEqual(expect.arrayContaining(['status', 'proof.run', 'vault.set']))
})
