import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { loadedBy } from '../support/loaded.ts'
import { writeStdioServer } from '../support/mcp/start.ts'
import { otlpReceiver } from '../support/otlp-receiver.ts'
import { testProject } from '../support/qed.ts'

/** The files that hold the SDKs: none of them is small. */
const extras = (files: readonly string[]): string[] =>
  files
    .map(file => basename(file))
    .filter(name => /^(otlp|connect)-/.test(name))
    .map(name => name.replace(/-.*/, ''))

async function project(turns: object[], mcp: object) {
  const made = await testProject()
  const home = made.env['HOME'] ?? ''
  const script = join(home, 'script.json')
  writeFileSync(script, JSON.stringify({ scripts: { main: { turns } } }))
  mkdirSync(join(home, '.config/qed'), { recursive: true })
  writeFileSync(join(home, '.config/qed/config.json'), JSON.stringify({ mcp }))
  writeStdioServer(made.root)
  return { made, run: ['code', 'x', '--scope', 'src/**', '--model', `script:${script}`] }
}

const done = { calls: [{ name: 'update', arguments: { status: 200, body: 'done' } }] }
const server = { own: { command: ['node', 'mcp-server.mjs'] } }

test('an ordinary run loads neither the MCP client nor OpenTelemetry', async () => {
  const { made, run } = await project([done], {})
  const loaded = await loadedBy(run, {}, made)
  expect(loaded.length).toBeGreaterThan(3)
  expect(extras(loaded)).toEqual([])
})

test('nor does one whose server nobody asks for, nor a read with an endpoint set', async () => {
  const { made, run } = await project([done], server)
  expect(extras(await loadedBy(run, {}, made))).toEqual([])
  expect(extras(await loadedBy(['status', '--json'], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, made))).toEqual([])
})

test('what is asked for is loaded', async () => {
  const { url } = await otlpReceiver()
  const { made, run } = await project([{ calls: [{ name: 'mcp_find', arguments: {} }] }, done], server)
  expect(extras(await loadedBy(run, { OTEL_EXPORTER_OTLP_ENDPOINT: url }, made)).sort()).toEqual(['connect', 'otlp'])
})
