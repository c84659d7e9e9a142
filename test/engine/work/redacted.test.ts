import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Event } from '../../../src/kernel/event.ts'
import { done, goOn, working } from '../../support/working.ts'

interface Redacted {
  changed: { kind: string; ref: string }[]
  also_in: number[]
}

const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }, goOn] })

async function worked(...turns: object[]) {
  const place = working({ scripts: { m: { turns: [...turns, { calls: [done] }] } } })
  const { run } = await place.work({ prompt: 'Look at all that is here.', model: 'm' })
  const seqOf = async (is: (event: Event) => boolean): Promise<number> => (await place.events(run.id)).find(is)?.seq ?? 0
  return {
    ...place,
    run: run.id,
    seqOf,
    redact: (seq: number): Promise<Redacted> => place.call('events.redact', { seq, reason: 'a name' }, 'person'),
  }
}

describe('I-9: taking an event of a run out', () => {
  test('removes the long text that it refers to, and names it', async () => {
    const { root, events, run, seqOf, redact } = await worked(bash('seq 1 30000'))
    const seq = await seqOf(({ data }) => JSON.stringify(data['result'] ?? '').includes('"blob"'))
    const blob = (await events(run)).flatMap(event => (event.seq === seq ? [(event.data['result'] as { blob: string }).blob] : []))[0] ?? ''
    const file = join(root, '.qed/blobs', blob.slice(0, 2), blob)
    expect(existsSync(file)).toBe(true)
    expect((await redact(seq)).changed).toEqual([
      { kind: 'event', ref: String(seq) },
      { kind: 'blob', ref: blob },
    ])
    expect(readdirSync(join(root, '.qed/blobs', blob.slice(0, 2)))).toEqual([])
  })

  test('names the other events in which a text of it stands: the answer to a failed call is also part of what its turn added', async () => {
    const { events, run, seqOf, redact } = await worked(bash('echo the name of a customer of ours; exit 1'))
    const { also_in } = await redact(await seqOf(({ data }) => data['ok'] === false))
    const types = (await events(run)).filter(({ seq }) => also_in.includes(seq)).map(({ type }) => type)
    expect(types).toEqual(['checkpoint.saved'])
  })

  test('I-13: what the event told of is no longer listed as sent, which is said', async () => {
    const { call, run, seqOf, redact } = await worked(bash('echo hello'))
    const sent = () => call<{ other: { kind: string }[]; redacted?: number }>('run.egress', { run })
    const before = await sent()
    await redact(await seqOf(({ data }) => data['exit'] === 0))
    const after = await sent()
    expect([before.redacted, after.redacted]).toEqual([undefined, 1])
    expect(before.other.length - after.other.length).toBe(1)
  })

  test.each(['turn.received', 'loop.started', 'checkpoint.saved'])(
    'R-29: a run without its %s cannot be gone on with, which is said, and nothing of it changes',
    async type => {
      const { call, events, run, seqOf, redact } = await worked(bash('echo hello'))
      await redact(await seqOf(event => event.type === type))
      const before = await events(run)
      await expect(call('run.resume', { run, prompt: 'Go on.' })).rejects.toMatchObject({ code: 'not_resumable' })
      expect(await events(run)).toEqual(before)
    },
  )
})
