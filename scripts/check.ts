// The quality gates. Each one either holds or says what is wrong; all of them run, so that one look shows everything.
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { operationsPage } from './operations-page.ts'
import { readingOperationsFile } from './reading-operations.ts'
import { coverageReport } from './spec-coverage.ts'

const root = join(import.meta.dirname, '..')
const MOST_LINES = 500
/** Fewer modules than this means that the import check looked at nothing. */
const LEAST_MODULES = 50

interface Outcome {
  ok: boolean
  output: string
}

const GATES: Record<string, () => Promise<Outcome> | Outcome> = {
  types: () => tool('tsc', '-p', '.'),
  lint: () => tool('oxlint', '--type-aware', '--deny-warnings'),
  format: () => tool('biome', 'check', '.'),
  imports: checkImports,
  'dead code': () => tool('knip'),
  'file length': checkLengths,
  'operation reference': checkReference,
  package: () => tool('publint', '--strict'),
  'package types': () => tool('attw', '--pack', '.', '--profile', 'esm-only'),
}

let failed = 0
for (const [name, gate] of Object.entries(GATES)) {
  const started = performance.now()
  const { ok, output } = await gate()
  failed += ok ? 0 : 1
  console.log(`${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(20)} ${Math.round(performance.now() - started)} ms`)
  if (!ok) console.log(output.replace(/^/gm, '      '))
}
console.log(`\n${await coverageReport(root)}`)
console.log(`\n${Object.keys(GATES).length - failed} gates hold, ${failed} do not.`)
process.exitCode = failed === 0 ? 0 : 1

function tool(command: string, ...args: string[]): Promise<Outcome> {
  return new Promise(resolve => {
    let output = ''
    const child = spawn(join(root, 'node_modules/.bin', command), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    })
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', error => resolve({ ok: false, output: error.message })).on('close', code => resolve({ ok: code === 0, output }))
  })
}

async function checkImports(): Promise<Outcome> {
  const { ok, output } = await tool('depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'src')
  const modules = Number(/(\d+) modules/.exec(output)?.[1] ?? 0)
  return ok && modules < LEAST_MODULES
    ? { ok: false, output: `only ${modules} modules were seen: the check looked at nothing\n${output}` }
    : { ok, output }
}

function checkLengths(): Outcome {
  const long = globSync('{src,web,integrations}/**/*.{ts,tsx}', { cwd: root })
    .map(file => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length }))
    .filter(({ lines }) => lines > MOST_LINES)
  return { ok: long.length === 0, output: long.map(({ file, lines }) => `${file} has ${lines} lines; at most ${MOST_LINES}`).join('\n') }
}

async function checkReference(): Promise<Outcome> {
  const made = { 'docs/operations.md': await operationsPage(), 'src/operations/reading-operations.ts': await readingOperationsFile() }
  const stale = Object.entries(made).flatMap(([file, text]) => (readFileSync(join(root, file), 'utf8') === text ? [] : [file]))
  return { ok: stale.length === 0, output: `${stale.join(', ')} is stale: run npm run docs` }
}
