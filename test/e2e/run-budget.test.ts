import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { workIn } from '../support/proving.ts'
import { testServer } from '../support/qed.ts'
import { budgetNode, eventsIn } from '../support/run-store.ts'

// What runs may spend, alone and together, through the built program.

const USAGE = { input: 1000, output: 200 }
const write = (i: number) => ({ calls: [{ name: 'write', arguments: { path: `src/f${i}`, content: 'x' } }], usage: USAGE })
const done = { calls: [{ name: 'update', arguments: { status: 200, body: 'Done.' } }], usage: USAGE }
const many = Array.from({ length: 40 }, (_, i) => write(i))

async function place(turns: object[], settings: Record<string, string> = {}, prices?: object) {
  const work = workIn()
  await work.qed(['init'])
  const script = join(work.env['HOME'] ?? '', 'script.json')
  writeFileSync(script, JSON.stringify({ scripts: { main: { turns } } }))
  const alias = { protocol: 'script', model: script, ...(prices && { prices }) }
  for (const [part, value] of Object.entries(alias)) {
    await work.qed(['config', 'set', `models.played.${part}`, typeof value === 'string' ? value : JSON.stringify(value)])
  }
  for (const [key, value] of Object.entries(settings)) expect((await work.qed(['config', 'set', key, value])).exit).toBe(0)
  const fix = async (...args: string[]) => {
    const ran = await work.qed(['fix', 'x', '--scope', 'src/**', '--model', 'played', '--json', ...args])
    return { exit: ran.exit, ...(JSON.parse(ran.stdout) as { tokens: number }) }
  }
  return { ...work, fix }
}

test('L-61: of eight processes that start at the same moment no more is granted than the project has, to the token', async () => {
  const at = await place([...many.slice(0, 3), done], { 'budget.project.tokens': '30000' })
  const ran = await Promise.all(Array.from({ length: 8 }, () => at.fix('--max-tokens', '6000')))
  const node = budgetNode(at.root, 'project')
  const spent = ran.map(({ tokens }) => tokens).reduce((a, b) => a + b)
  expect(node).toMatchObject({ caps: { tokens: 30_000 }, settled: { tokens: spent }, reserved: {} })
  expect(spent).toBeLessThanOrEqual(30_000)
  const refused = ran.filter(({ exit }) => exit === 7)
  expect(refused.length).toBeGreaterThan(0)
  expect(JSON.stringify(refused)).toMatch(/\d+ tokens would be needed, and the project has \d+ tokens? left \(budget\.project\.tokens\)/)
  const warnings = eventsIn(at.root).filter(
    ({ type, data }) => type === 'budget.warning' && JSON.stringify(data['node']).includes('project:'),
  )
  expect(warnings.length).toBeLessThanOrEqual(1)
})

test('L-57: tool calls of all runs are taken out of what the project has', async () => {
  const at = await place([...many.slice(0, 3), done], { 'budget.project.tool_calls': '6' })
  expect(await at.fix()).toMatchObject({ exit: 0, tool_calls: 4 })
  expect(await at.fix()).toMatchObject({
    exit: 7,
    run: { outcome: 'budget', outcome_reason: expect.stringMatching(/^tool_calls: .*the project has 0 tool calls left/) },
  })
  expect(budgetNode(at.root, 'project')).toMatchObject({ settled: { toolCalls: 6 }, reserved: {} })
})

test('R-29: without a name the newest run is meant that can go on, one that ran out of budget included', async () => {
  const at = await place([...many.slice(0, 3), done])
  await at.fix('--max-tool-calls', '1')
  const { run } = (await at.fix('--max-tool-calls', '2')) as unknown as { run: { alias: string } }
  const resume = async (...args: string[]): Promise<unknown> => JSON.parse((await at.qed(['run', 'resume', '--json', ...args])).stdout)
  expect(await resume()).toMatchObject({
    error: { message: expect.stringContaining(`${run.alias} has used up what --max-tool-calls gave it`) as string },
  })
  // Only a person may give it more.
  const next = { command: `qed run resume ${run.alias} --max-tool-calls <n>` }
  expect(await resume('--max-tool-calls', '10')).toMatchObject({ error: { code: 'actor_not_person', next } })
})

test('L-55: a limit in money needs a price; with one no call is sent that could cost more than is left', async () => {
  const without = await place(many)
  expect(await without.fix('--max-cost', '1')).toMatchObject({ exit: 9, error: { code: 'no_price' } })
  const at = await place(many, {}, { in: 3, out: 15 })
  // One turn costs 1000 · 3 + 200 · 15 = 6,000 micro-dollars.
  expect(await at.fix('--max-cost', '0.05')).toMatchObject({ exit: 7, cost_usd: expect.any(Number) })
  const node = budgetNode(at.root)
  expect(node).toMatchObject({ caps: { costMicroUsd: 50_000 }, reserved: {} })
  expect(node.settled['costMicroUsd']).toBeLessThanOrEqual(50_000)
  expect((node.settled['costMicroUsd'] ?? 0) % 6000).toBe(0)
})

test('L-55: a limit in money for the project needs a price as well, and the setting for one run holds over a flag', async () => {
  const at = await place(many, { 'budget.project.cost_usd': '1' })
  expect(await at.fix()).toMatchObject({ exit: 9, error: { code: 'no_price' } })
  const strict = await place(many, { 'budget.tool_calls': '2', 'budget.tokens': '20000' })
  expect(await strict.fix('--max-tool-calls', '9', '--max-tokens', '90000')).toMatchObject({ exit: 7, tool_calls: 2 })
  expect(budgetNode(strict.root).caps).toMatchObject({ tokens: 20_000, toolCalls: 2 })
})

test('L-60: at four fifths of what a run may spend one warning is written', async () => {
  const at = await place([...many.slice(0, 4), done])
  expect(await at.fix('--max-tool-calls', '5')).toMatchObject({ exit: 0 })
  const warnings = eventsIn(at.root)
    .filter(({ type }) => type === 'budget.warning')
    .map(({ data }) => data)
  expect(warnings).toMatchObject([{ dimension: 'toolCalls', used: 4, cap: 5 }])
})

test('L-56: a turn at POST /api/engine counts against the project, and one that does not fit is not sent', async () => {
  const at = await place([{ text: 'hi', usage: USAGE }], { 'budget.project.tokens': '2600' })
  const run = (args: string[]) => at.qed(args)
  const server = await testServer({ root: at.root, env: at.env, run, json: () => Promise.resolve(null) })
  const ask = async () => {
    const body = JSON.stringify({ personaSlug: 'p', model: 'played', messages: [{ role: 'user', content: 'hi' }], tools: [] })
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${server.port}/api/engine`, { method: 'POST', headers, body })
    return { status: response.status, ...((await response.json()) as object) }
  }
  expect(await ask()).toMatchObject({ status: 200, tokensUsed: 1200 })
  expect(budgetNode(at.root, 'project')).toMatchObject({ settled: { tokens: 1200 }, reserved: {} })
  await ask()
  expect(await ask()).toMatchObject({ status: 422, error: { code: 'budget' } })
})
