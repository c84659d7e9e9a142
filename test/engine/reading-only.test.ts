import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { runEngineLoop } from '../../src/engine/loop.ts'
import type { EngineLoopOutcome, EngineLoopResponse, EngineLoopTool } from '../../src/engine/types.ts'
import { offered } from '../../src/tools/index.ts'
import { tool } from '../../src/tools/tool.ts'
import { engineDesk, everyByte } from '../support/engine-desk.ts'
import { type Work, workIn } from '../support/proving.ts'

// L-25: three layers keep plan and explain from changing anything. Each is tried with the other two switched off, and shown to be
// what holds: without all three the same call changes the file.

const PATCH = '*** Begin Patch\n*** Update File: src/a\n@@\n-one\n+two\n*** End Patch'
const CHANGES: [string, object][] = [
  ['write', { path: 'src/a', content: 'two\n' }],
  ['write', { path: 'new/file', content: 'x' }],
  ['edit', { path: 'src/a', search: 'one', replace: 'two' }],
  ['apply_patch', { patch: PATCH }],
  ['bash', { command: 'echo two > src/a' }],
  ['bash', { command: 'rm -rf .git untracked' }],
  ['bash', { command: 'git commit --allow-empty -m x; git stash; git tag t' }],
]

async function place(): Promise<Work> {
  const work = workIn({ 'src/a': 'one\n', 'src/b': 'b\n' })
  await work.qed(['init'])
  mkdirSync(join(work.root, 'untracked/empty'), { recursive: true })
  writeFileSync(join(work.root, 'untracked/file'), 'mine')
  symlinkSync('../src/a', join(work.root, 'untracked/link'))
  return work
}

/** A loop whose model makes one call and then answers. */
function loopWith(
  [name, given]: [string, object],
  tools: readonly EngineLoopTool[],
  executor: Parameters<typeof runEngineLoop>[0]['executor'],
) {
  const call = { id: 'c1', name, arguments: JSON.stringify(given) }
  const turns: EngineLoopResponse[] = [
    { stop: 'tool_use', tokensUsed: 1, assistantMessage: { role: 'assistant', content: '', toolCalls: [call] } },
    { stop: 'text', content: 'Done.', tokensUsed: 1, assistantMessage: { role: 'assistant', content: 'Done.' } },
  ]
  const told: string[] = []
  const outcome: Promise<EngineLoopOutcome> = runEngineLoop({
    client: {
      send: messages => {
        told.push(messages.at(-1)?.content ?? '')
        return Promise.resolve(turns.shift() ?? { stop: 'error', code: 'failed', message: 'no more turns' })
      },
    },
    executor,
    tools,
    systemPrompt: '',
    userPrompt: 'x',
    budget: { maxToolCalls: 9, maxTokens: 1000 },
    personaSlug: 'p',
  })
  return outcome.then(ended => ({ ended, told: told.at(-1) ?? '' }))
}

test.each(CHANGES.filter(([name]) => name !== 'bash'))('with none of the layers %s changes the repository', async (...change) => {
  const work = await place()
  const before = everyByte(work.root)
  const desk = await engineDesk(work, { readingOnly: false })
  const { ended } = await loopWith(change, offered(desk.tools), desk.executor)
  expect(ended).toMatchObject({ status: 'completed', toolCallCount: 1 })
  expect(everyByte(work.root)).not.toEqual(before)
})

describe.each(CHANGES)('%s %j', (...change) => {
  test('L-13 alone: a tool that is not offered ends the loop and never reaches an executor that would carry it out', async () => {
    const work = await place()
    const before = everyByte(work.root)
    const desk = await engineDesk(work, { readingOnly: false })
    const reading = offered(desk.tools).filter(({ effect }) => effect === 'read')
    const { ended } = await loopWith(change, reading, desk.executor)
    expect(ended).toMatchObject({ status: 'tool_refused', toolCallCount: 0, reason: `tool_refused: ${change[0]} is not available here` })
    expect(everyByte(work.root)).toEqual(before)
  })

  test('L-14 alone: the executor of a run that may only read refuses, and the loop ends', async () => {
    const work = await place()
    const before = everyByte(work.root)
    const desk = await engineDesk(work, { readingOnly: true })
    const { ended } = await loopWith(change, offered(desk.tools), desk.executor)
    expect(ended).toMatchObject({ status: 'tool_refused', toolCallCount: 0 })
    expect(everyByte(work.root)).toEqual(before)
  })

  test('policy alone: the mode denies it, and the model hears why', async () => {
    const work = await place()
    const before = everyByte(work.root)
    const desk = await engineDesk(work, { readingOnly: false, mode: 'plan' })
    const { ended, told } = await loopWith(change, offered(desk.tools), desk.executor)
    expect(ended).toMatchObject({ status: 'completed', toolCallCount: 1 })
    expect(told).toMatch(/^Error: not allowed/)
    expect(everyByte(work.root)).toEqual(before)
  })
})

describe('L-14: a reading tool that is used to change something', () => {
  const target = z.strictObject({ path: z.string() })
  const act = (root: string, path: string) => () => {
    writeFileSync(join(root, path), 'changed')
    return Promise.resolve({ ok: true, text: 'done' })
  }
  const asks = tool({
    name: 'asks',
    description: '',
    effect: 'read',
    input: () => target,
    ask: ({ path }, { root }) => ({ verb: 'file.write', paths: [{ path: join(root, path), access: 'write' }] }),
    prepare: ({ path }, { root }) => ({ act: act(root, path) }),
  })
  const hides = tool({
    name: 'hides',
    description: '',
    effect: 'read',
    input: () => target,
    ask: ({ path }, { root }) => ({ verb: 'file.read', paths: [{ path: join(root, path), access: 'read' }] }),
    prepare: ({ path }, { root }) => ({ paths: [{ path: join(root, path), before: null, after: 'x' }], act: act(root, path) }),
  })

  test.each(['asks', 'hides'])('%s for it is refused before it acts', async name => {
    const work = await place()
    const before = everyByte(work.root)
    const desk = await engineDesk(work, { readingOnly: true, more: [asks, hides] })
    const { ended } = await loopWith([name, { path: 'src/a' }], offered(desk.tools), desk.executor)
    expect(ended).toMatchObject({ status: 'tool_refused', toolCallCount: 0 })
    expect(everyByte(work.root)).toEqual(before)
  })

  test('what only reads goes through', async () => {
    const work = await place()
    const desk = await engineDesk(work, { readingOnly: true, mode: 'plan' })
    const { ended, told } = await loopWith(['read', { path: 'src/a' }], offered(desk.tools), desk.executor)
    expect([ended.status, told.includes('one')]).toEqual(['completed', true])
  })
})

describe.each(['plan', 'explain'])('qed %s', kind => {
  test.each(CHANGES.filter(([name], i) => CHANGES.findIndex(other => other[0] === name) === i))(
    'changes no byte of the repository when the model asks for %s %j',
    async (name, given) => {
      const work = await place()
      const script = join(work.env['HOME'] ?? '', 'script.json')
      writeFileSync(script, JSON.stringify({ scripts: { main: { turns: [{ calls: [{ name, arguments: given }] }, { text: 'Done.' }] } } }))
      const before = everyByte(work.root)
      const ran = await work.qed([kind, 'x', '--scope', '**', '--model', `script:${script}`, '--json'])
      expect([ran.exit, everyByte(work.root)]).toEqual([4, before])
    },
  )
})
