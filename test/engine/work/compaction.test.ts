import { describe, expect, test, vi } from 'vitest'
import type { Event } from '../../../src/kernel/event.ts'
import { sha256 } from '../../../src/kernel/sha256.ts'
import { rebuildLoop } from '../../../src/runs/rebuild.ts'
import { chainDigest } from '../../../src/runs/recorder.ts'
import type { Blobs } from '../../../src/store/blobs.ts'
import { done, goOn, working } from '../../support/working.ts'

const SUMMARY = ['Goal', 'Mend it.', 'Done', 'Read much.', 'Decisions', 'None.', 'Open', 'All.', 'Next', 'Go on.'].join('\n')
const asked = { when: { sees: 'Sum it up in at most', times: 9 } }
const big = Object.fromEntries(
  Array.from({ length: 32 }, (_, n) => [`src/f${n}.txt`, `line of file ${n} with some words in it\n`.repeat(20)]),
)
const reads = (from: number, to: number): object[] =>
  Array.from({ length: to - from }, (_, i) => ({
    calls: [
      { name: 'read', arguments: { path: `src/f${from + i}.txt` } },
      { ...goOn, arguments: { status: 102, body: `step ${from + i}` } },
    ],
  }))

const compactions = (events: Event[]): Event[] =>
  events.filter(({ type, data }) => type === 'checkpoint.saved' && data['label'] === 'compaction')

/** Every request of a run, rebuilt from what was in the log when it was written, has the digest that was written. */
function expectRebuilt(events: Event[], blobs: Blobs): void {
  const requests = events.flatMap((event, i) => (event.type === 'turn.requested' ? [{ event, i }] : []))
  for (const { event, i } of requests) {
    const rebuilt = rebuildLoop(events.slice(0, i), blobs)
    expect(chainDigest()(rebuilt?.messages ?? [])).toBe(event.data['digest'])
  }
  expect(requests.length).toBeGreaterThan(10)
}

async function compacted(summary: object, budget: object = {}, first: object[] = []) {
  const place = working({
    files: big,
    scripts: { small: { context: 7_000, turns: [{ ...asked, ...summary }, ...first, ...reads(0, 30), { calls: [done] }] } },
  })
  const ran = await place.work({ prompt: 'Mend the thing.', model: 'small', max_tokens: 500_000, max_tool_calls: 100, ...budget })
  return { ...place, ran, events: await place.events(ran.run.id) }
}

describe('a transcript that gets full', () => {
  test('C-76, C-78, L-39: is folded with a summary of the same model, saved as a checkpoint, and rebuilt byte for byte', async () => {
    const { ran, events, blobs } = await compacted({ text: SUMMARY })
    expect(ran).toMatchObject({ run: { outcome: 'unproven' }, text: 'Done.' })
    const saved = compactions(events)
    expect(saved.length).toBeGreaterThan(0)
    for (const { data } of saved) {
      const { before, after } = data['compaction'] as { before: number; after: number }
      expect(after).toBeLessThan(before)
      expect(data['compaction']).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
    }
    expect(events.find(({ type }) => type === 'summary.received')?.data).toMatchObject({ text: SUMMARY, refused: null })
    expectRebuilt(events, blobs())
    const last = rebuildLoop(events, blobs())
    expect(last?.messages[2]?.content).toMatch(
      /What was asked for:\nMend the thing\.[\s\S]*Left of the budget: [\s\S]*Next\nGo on\.\n<\/data>$/,
    )
  })

  test('C-77: without a good summary the middle is left out, what QED knows stays, and the log says why', async () => {
    for (const [reply, refused] of [
      [{ text: 'I would rather not.' }, 'it has nothing under Goal, Done, Decisions, Open, Next'],
      [{ error: { status: 400, message: 'no' } }, 'failed: no'],
      [{ text: `${SUMMARY}\n${'word '.repeat(4_000)}` }, expect.stringMatching(/^it has \d+ tokens$/)],
      [{ calls: [done] }, 'it called a tool'],
    ] as const) {
      const { ran, events, blobs } = await compacted(reply)
      expect(ran.run.outcome).toBe('unproven')
      expect(events.find(({ type }) => type === 'summary.received')?.data).toMatchObject({ text: null, refused })
      expect(rebuildLoop(events, blobs())?.messages[2]?.content).toMatch(/Left of the budget: \d+ tool calls, \d+ tokens\.$/)
      expectRebuilt(events, blobs())
    }
  })

  test('L-57: what summaries cost is part of what the loop and the run have spent', async () => {
    const { ran, events, app } = await compacted({ text: SUMMARY, usage: { input: 1_000, output: 234 } })
    const tokensOf = (type: string): number =>
      events.filter(event => event.type === type).reduce((sum, { data }) => sum + Number(data['tokens']), 0)
    const summaries = tokensOf('summary.received')
    expect(summaries).toBeGreaterThanOrEqual(1_234)
    expect(ran.tokens).toBe(tokensOf('turn.received') + summaries)
    expect(events.find(({ type }) => type === 'loop.stopped')?.data['outcome']).toMatchObject({ tokensUsed: ran.tokens })
    const node = (await app.projectStore()).db.get<{ settled: string; reserved: string }>(
      'SELECT * FROM budget_nodes WHERE id = ?',
      ran.run.id,
    )
    expect([JSON.parse(node?.settled ?? ''), JSON.parse(node?.reserved ?? '')]).toEqual([
      expect.objectContaining({ tokens: ran.tokens }),
      {},
    ])
  })

  test('L-57: no summary is bought with a budget that it would use up', async () => {
    const counted = (input: number) => (turn: object) => ({ ...turn, usage: { input, output: 10 } })
    const turns = [{ ...asked, text: SUMMARY }, ...reads(0, 8).map(counted(500)), ...reads(8, 9).map(counted(5_500)), { calls: [done] }]
    const { work, events } = working({ files: big, scripts: { small: { context: 7_000, turns } } })
    const ran = await work({ prompt: 'Mend the thing.', model: 'small', max_tokens: 13_000, max_tool_calls: 100 })
    const all = await events(ran.run.id)
    expect(compactions(all)).toHaveLength(1)
    expect(all.filter(({ type }) => type === 'summary.requested')).toEqual([])
    // Nor is a turn sent whose prompt does not fit into what is left.
    expect(ran).toMatchObject({ turns: 10, run: { outcome: 'budget' } })
  })

  test('a summary is not shown as the run’s own words', async () => {
    const { told } = await compacted({ text: SUMMARY })
    const shown = told.flatMap(({ type, data }) => (type === 'model.delta' && data['kind'] === 'text' ? [data['text']] : [])).join('')
    expect(shown).not.toContain('Decisions')
  })

  test('C-75: until then each request is the one before it and what came since, the same bytes and frames', async () => {
    const place = working({ files: big, scripts: { wide: { turns: [...reads(0, 20), { calls: [done] }] } } })
    const ran = await place.work({ prompt: 'Look.', model: 'wide', max_tokens: 500_000, max_tool_calls: 100 })
    const events = await place.events(ran.run.id)
    expect(compactions(events)).toEqual([])
    const requests = events.flatMap((event, i) =>
      event.type === 'turn.requested' ? [rebuildLoop(events.slice(0, i), place.blobs())?.messages ?? []] : [],
    )
    expect(requests).toHaveLength(21)
    for (const [i, request] of requests.entries()) {
      const before = requests[i - 1] ?? []
      expect(JSON.stringify(request).startsWith(JSON.stringify(before).slice(0, -1))).toBe(true)
    }
    expectRebuilt(events, place.blobs())
  })

  test('C-76: what QED knows is measured: files with their digests, the last failure with its end, what is left', async () => {
    const text = 'new\n'
    const fail = { name: 'bash', arguments: { command: 'seq 1 150; exit 3' } }
    const { ran, events, blobs } = await compacted({ text: SUMMARY }, {}, [
      { calls: [{ name: 'write', arguments: { path: 'src/new.txt', content: text } }, fail, goOn] },
    ])
    expect(ran.run.outcome).toBe('unproven')
    const { content = '' } = rebuildLoop(events, blobs())?.messages[2] ?? {}
    expect(content).toContain(`- src/new.txt ${sha256(text)}`)
    expect(content).toContain('The last command that failed:\nseq 1 150; exit 3\n<data from="bash">\n[51 lines left out]\n52\n53\n')
    expect(content).toContain('\n150\nExit code 3.\n</data>')
    expect(content).toMatch(/Left of the budget: \d+ tool calls, \d+ tokens\./)
  })

  test('L-17: stopped while it waits for a summary, a run ends at once, and nothing is written behind its end', async () => {
    const turns = [{ ...asked, delay_ms: 600_000 }, ...reads(0, 30)]
    const { work, abort, app } = working({ files: big, scripts: { small: { context: 7_000, turns } } })
    const all = async () => (await app.projectStore()).log.list({ streams: ['run:*'] }, 10_000)
    const running = work({ prompt: 'Mend the thing.', model: 'small', max_tokens: 500_000, max_tool_calls: 100 })
    await vi.waitUntil(async () => (await all()).some(({ type }) => type === 'summary.requested'), { timeout: 20_000, interval: 20 })
    abort.abort()
    expect((await running).run.status).toBe('aborted')
    await new Promise(setImmediate)
    const events = await all()
    expect(events.at(-1)?.type).toBe('run.stopped')
    expect(compactions(events)).toEqual([])
  })

  test('L-22: a model that sees less than was known gets a shorter conversation once per turn; then the run fails', async () => {
    const over = { error: { status: 400, message: 'This model has a maximum context length of 8192 tokens' } }
    const run = async (...end: object[]) => {
      const place = working({ files: big, scripts: { m: { turns: [{ ...asked, text: SUMMARY }, ...reads(0, 12), ...end] } } })
      const ran = await place.work({ prompt: 'Look.', model: 'm', max_tokens: 500_000, max_tool_calls: 100 })
      const events = await place.events(ran.run.id)
      expectRebuilt(events, place.blobs())
      return { ran, compacted: compactions(events).length }
    }
    expect(await run(over, { calls: [done] })).toMatchObject({ ran: { text: 'Done.', turns: 14 }, compacted: 1 })
    expect(await run(over, over)).toMatchObject({
      ran: { run: { outcome: 'error', outcome_reason: expect.stringMatching(/^context_overflow: /) } },
      compacted: 1,
    })
  })
})
