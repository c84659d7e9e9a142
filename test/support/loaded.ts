import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './folders.ts'
import { type TestProject, testProject } from './qed.ts'

/** Notes every file of the program that is loaded. */
const WATCH = `
const Module = require('node:module')
const resolve = Module._resolveFilename
const seen = new Set()
Module._resolveFilename = function (...given) {
  const file = resolve.apply(this, given)
  if (String(file).includes('/dist/program/')) seen.add(file)
  return file
}
process.on('exit', () => require('node:fs').writeFileSync(process.env.SEEN, [...seen].join('\\n')))
`

/** The files of the program that a command loads. */
export async function loadedBy(args: string[], settings: object = {}, project?: TestProject): Promise<string[]> {
  const used = project ?? (await testProject())
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'watch.cjs'), WATCH)
  Object.assign(used.env, { SEEN: join(folder, 'seen'), NODE_OPTIONS: `--require ${join(folder, 'watch.cjs')}`, ...settings })
  await used.run(args)
  return readFileSync(join(folder, 'seen'), 'utf8').split('\n')
}
