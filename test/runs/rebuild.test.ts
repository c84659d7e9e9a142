import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runEngineLoop } from '../../src/engine/loop.ts'
import { plainTranscript } from '../../src/engine/transcript.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { EngineLoopResponse } from '../../src/kernel/frames.ts'
import { redactText } from '../../src/policy/secrets/redact.ts'
import { runEvents } from '../../src/runs/events.ts'
import { thisProcess } from '../../src/runs/owner.ts'
import { rebuildLoop } from '../../src/runs/rebuild.ts'
import { chainDigest, createRecorder } from '../../src/runs/recorder.ts'
import { createRuns } from '../../src/runs/runs.ts'
import { createBlobs } from '../../src/store/blobs.ts'
import { projectStore } from '../../src/store/kinds.ts'
import { openStore } from '../../src/store/store.ts'
import { judgeTurn } from '../../src/text/dialects/judge-turn.ts'

const use = (id: string, name: string, content = ''): EngineLoopResponse => ({
  stop: 'tool_use',
  tokensUsed: 10,
  assistantMessage: { role: 'assistant', content, toolCalls: [{ id, name, arguments: `{"path":"${id}"}` }] },
})
const answer: EngineLoopResponse = {
  stop: 'text',
  content: 'Done.',
  tokensUsed: 5,
  assistantMessage: { role: 'assistant', content: 'Done.' },
}
const empty: EngineLoopResponse = { stop: 'tool_use', tokensUsed: 3, assistantMessage: { role: 'assistant', content: 'hm' } }

/** A loop with repeated ids, a long result, an unknown tool, an empty announcement and notices, fully recorded. */
async function recorded(script = [use('a', 'read'), use('a', 'nope', 'and'), empty, use('', 'read'), answer]) {
  const folder = mkdtempSync(join(tmpdir(), 'qed-rebuild-'))
  const log = { clock: systemClock, catalogue: { run: runEvents }, redact: <T>(data: T) => data }
  const store = openStore(join(folder, 'qed.db'), projectStore, { ...log, mayCreate: true })
  const blobs = createBlobs(join(folder, 'blobs'))
  const runs = createRuns({ ...store, clock: systemClock, project: 'prj' })
  const run = runs.create({ intent: 'mend it', kind: 'fix', mode: 'act', model: 'script:x' })
  const claim = runs.claim(run.id, thisProcess('cli'))
  const recorder = createRecorder({ ...store, blobs, runs, claim, loop: 1, estimate: () => 1, redact: redactText })
  recorder.write('loop.started', { loop: 1, system: 'S', user: 'U', tools: ['read'], budget: {}, continues: false })
  const outcome = await runEngineLoop({
    client: recorder.client({ send: () => Promise.resolve(script.shift() ?? answer) }),
    context: recorder.context(plainTranscript()),
    executor: call => Promise.resolve(`${call.callId} `.repeat(call.callId === 'a' ? 40_000 : 1)),
    systemPrompt: 'S',
    userPrompt: 'U',
    tools: [{ name: 'read', description: '' }],
    budget: { maxToolCalls: 9, maxTokens: 1000 },
    personaSlug: 'default',
    judge: turns => judgeTurn(turns),
    hooks: {
      onToolResult: (call, result) =>
        recorder.write('call.settled', {
          ...recorder.at(),
          call: call.id,
          attempt: null,
          ok: result.ok,
          result: blobs.keep(result.ok ? result.content : result.error),
          duration_ms: 1,
          exit: null,
        }),
      onTurnEnd: recorder.turnEnded,
    },
  })
  recorder.flush()
  return { outcome, blobs, events: store.log.list({ streams: [`run:${run.id}`] }, 1000) }
}

describe('a loop rebuilt from its log', () => {
  test('L-39: the messages of every turn are the ones that were sent, by their digest', async () => {
    const { events, blobs, outcome } = await recorded()
    expect(outcome).toMatchObject({ status: 'completed', turnsUsed: 5 })
    const requests = events.flatMap((event, i) => (event.type === 'turn.requested' ? [{ event, i }] : []))
    expect(requests).toHaveLength(5)
    for (const { event, i } of requests) {
      const rebuilt = rebuildLoop(events.slice(0, i), blobs)
      expect(rebuilt?.messages).toHaveLength(Number(event.data['messages']))
      expect(chainDigest()(rebuilt?.messages ?? [])).toBe(event.data['digest'])
    }
  })

  test('L-40: cut anywhere, the counters and the open reply are those of that moment', async () => {
    const { events, blobs } = await recorded()
    const states = events.map((_, i) => rebuildLoop(events.slice(0, i + 1), blobs)).filter(state => state !== null)
    for (const [i, state] of states.entries()) {
      const before = states[i - 1]
      if (!before) continue
      expect(state.state.turnsUsed).toBeGreaterThanOrEqual(before.state.turnsUsed)
      expect(state.state.tokensUsed).toBeGreaterThanOrEqual(before.state.tokensUsed)
      expect(state.messages.length).toBeGreaterThanOrEqual(before.messages.length)
    }
    expect(states.at(-1)?.state).toMatchObject({ turnsUsed: 5, tokensUsed: 38, toolCallCount: 2, facts: { length: 5 } })
    expect(states.at(-1)?.state.reply).toBeUndefined()
    const received = events.findIndex(event => event.type === 'turn.received')
    expect(rebuildLoop(events.slice(0, received + 1), blobs)?.state.reply).toMatchObject({ stop: 'tool_use', tokensUsed: 10 })
  })
})

test('L-36: what had come of a reply that broke off stands in the log, without its secrets, and in no request', async () => {
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const broken: EngineLoopResponse = { stop: 'error', code: 'failed', message: 'cut', partial: `I was about to use ${token}` }
  const { events, blobs } = await recorded([broken])
  expect(events.find(({ type }) => type === 'turn.failed')?.data).toMatchObject({ partial: 'I was about to use ***REDACTED***' })
  expect(rebuildLoop(events, blobs)?.messages).toHaveLength(2)
})
