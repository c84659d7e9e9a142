import { expect, test } from 'vitest'
import { DEFAULT_PERSONA, systemPrompt } from '../../src/context/system-prompt.ts'
import { createModelClient } from '../../src/models/client.ts'
import { openModel } from '../../src/models/resolve/open.ts'
import { createGates } from '../../src/models/retry/gates.ts'
import { builtInTools, offered, type ToolPorts } from '../../src/tools/index.ts'
import { specAt } from '../support/model-double/client.ts'
import { DOUBLE_PROTOCOLS } from '../support/model-double/protocols.ts'
import { modelDouble } from '../support/model-double/server.ts'

const MOST_BYTES = 5_000
const unused = () => Promise.reject(new Error('not called'))
const ports = { search: unused, shell: { run: unused }, askPerson: unused } as unknown as ToolPorts
const tools = offered(builtInTools(ports, { readingOnly: false }))
const system = systemPrompt({
  kind: 'fix',
  root: '/home/user/projects/example',
  platform: 'linux',
  scope: null,
  verify: 'npm test',
  instructions: '',
  persona: DEFAULT_PERSONA,
})

test.each(DOUBLE_PROTOCOLS.map(protocol => [protocol.name, protocol] as const))(
  'the first request of a run with all default tools has at most 5 KB under %s',
  async (_, protocol) => {
    const frames = protocol.frames({ text: ['ok'], usage: { prompt: 1, cached: 0, cacheWrite: 0, completion: 1, reasoning: 0 } })
    const double = await modelDouble([{ kind: 'stream', frames }])
    const model = await openModel(specAt({ protocol: protocol.name, baseUrl: `${double.url}${protocol.base}`, key: { env: 'KEY' } }), {
      clock: { now: () => 0 },
      keys: { env: { KEY: 'k' }, vault: () => Promise.reject(new Error('none')) },
    })
    const client = createModelClient({ model, gates: createGates(), clock: { now: () => 0 }, random: () => 0 })
    await client.send(
      [
        { role: 'system', content: system },
        { role: 'user', content: 'Fix the failing test.' },
      ],
      tools,
      { personaSlug: 'p', maxTokens: 8000 },
    )
    expect(Buffer.byteLength(double.requests[0]?.body ?? '')).toBeLessThanOrEqual(MOST_BYTES)
  },
)

test('the system prompt and the tool schemas themselves have at most 5 KB', () => {
  const sent = tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
  expect(Buffer.byteLength(system + JSON.stringify(sent))).toBeLessThanOrEqual(MOST_BYTES)
})
