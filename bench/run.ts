// Measures QED beside a floor in the same run: `npm run bench [-- --quick] [-- --only cold]`. Writes bench/results/<time>.json.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { coldStartCases } from './cases/cold-start.ts'
import { dialectCases } from './cases/dialects.ts'
import { editCases } from './cases/edits.ts'
import { loopCases } from './cases/loop.ts'
import { policyCases } from './cases/policy.ts'
import { proofCases } from './cases/proof.ts'
import { roundTripCases } from './cases/round-trip.ts'
import { runCases } from './cases/run.ts'
import { sandboxCases } from './cases/sandbox.ts'
import { secretsCases } from './cases/secrets.ts'
import { shellCases } from './cases/shell.ts'
import { storeCases } from './cases/store.ts'
import { type Figure, measure, table } from './harness.ts'
import { BIN, clearScene, makeScene, ROOT, type Scene } from './scene.ts'

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' }, json: { type: 'boolean', default: false } },
})
const tell = (text: string): void => void (process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`))

/** Groups whose cases run interleaved. */
const GROUPS: Record<string, (scene: Scene) => Promise<Figure[]>> = {
  cold: scene => measure(coldStartCases(scene), values.quick ? 5 : 21, tell),
  store: scene => measure(storeCases(scene), values.quick ? 1 : 5, tell),
  dialects: () => measure(dialectCases, values.quick ? 1 : 5, tell),
  edits: () => measure(editCases, values.quick ? 1 : 5, tell),
  shell: () => measure(shellCases(), values.quick ? 1 : 5, tell),
  policy: () => measure(policyCases(), values.quick ? 1 : 5, tell),
  secrets: () => measure(secretsCases(), values.quick ? 1 : 5, tell),
  sandbox: scene => measure(sandboxCases(scene), values.quick ? 10 : 31, tell),
  proof: scene => measure(proofCases(scene), values.quick ? 2 : 7, tell),
  loop: async () => measure(await loopCases(), values.quick ? 3 : 15, tell),
  run: async scene => {
    const { cases, close } = await runCases(scene)
    const figures = await measure(cases, values.quick ? 1 : 5, tell)
    close()
    return figures
  },
  trip: async scene => {
    const second = `${scene.project}-rpc`
    execFileSync('git', ['init', '--quiet', second], { env: scene.env })
    execFileSync(BIN, ['init'], { cwd: second, env: scene.env, stdio: 'ignore' })
    const trips = await roundTripCases(scene)
    const figures = await measure(trips.cases, values.quick ? 2 : 7, tell)
    await trips.close()
    return figures
  },
}

const scene = makeScene()
try {
  const figures: Figure[] = []
  for (const [name, group] of Object.entries(GROUPS)) {
    if (values.only === undefined || values.only === name) figures.push(...(await group(scene)))
  }
  tell('')
  const report = { at: new Date().toISOString(), node: process.version, cases: figures }
  const results = join(ROOT, 'bench/results')
  mkdirSync(results, { recursive: true })
  writeFileSync(join(results, `${report.at.replaceAll(':', '-')}.json`), `${JSON.stringify(report, null, 2)}\n`)
  console.log(values.json ? JSON.stringify(report) : table(figures))
} finally {
  clearScene(scene)
}
