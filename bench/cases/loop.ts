import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runEngineLoop } from '../../src/engine/loop.ts'
import type { EngineLoopMessage, EngineLoopResponse } from '../../src/kernel/frames.ts'
import { judgeTurn } from '../../src/text/dialects/judge-turn.ts'
import { type Case, milliseconds } from '../harness.ts'

// The loop alone, in process: a model that answers at once and one tool that does nothing. No record, no policy, no disk.

type Loop = (turns: number, result: string) => Promise<unknown>

const RESULT = 'a line of the file that was read\n'.repeat(50)
const PEERS = join(import.meta.dirname, '../peers')

export async function loopCases(): Promise<Case[]> {
  const peers = existsSync(join(PEERS, 'node_modules')) ? ((await import(join(PEERS, 'loops.mjs'))) as Record<string, Loop>) : {}
  const loops: [name: string, loop: Loop][] = [
    ['runEngineLoop', engine({})],
    ['runEngineLoop with its judge', engine({ judge: turns => judgeTurn(turns, { turns: 100_000, stalls: 100_000 }) })],
    ...(peers['piAgentCore'] ? [['pi-agent-core', peers['piAgentCore']] as [string, Loop]] : []),
    ...(peers['aiSdk'] ? [['ai, ToolLoopAgent', peers['aiSdk']] as [string, Loop]] : []),
  ]
  return [50, 500].flatMap(turns => {
    const floor = `bare loop in process, ${turns} turns`
    const timed = (loop: Loop) => () => milliseconds(() => loop(turns, RESULT))
    return [
      { name: floor, unit: 'ms', run: timed(bare) },
      ...loops.map(([name, loop]) => ({ name: `${name}, ${turns} turns`, unit: 'ms', floor, run: timed(loop) })),
    ]
  })
}

function answer(turn: number, turns: number): EngineLoopResponse {
  if (turn >= turns) return { stop: 'text', content: 'Done.', assistantMessage: { role: 'assistant', content: 'Done.' }, tokensUsed: 10 }
  const toolCalls = [{ id: `call_${turn}`, name: 'read', arguments: JSON.stringify({ path: `f${turn}.txt` }) }]
  return { stop: 'tool_use', assistantMessage: { role: 'assistant', content: '', toolCalls }, tokensUsed: 10 }
}

function engine(more: Partial<Parameters<typeof runEngineLoop>[0]>): Loop {
  return async (turns, result) => {
    let turn = 0
    const { status } = await runEngineLoop({
      client: { send: () => Promise.resolve(answer(turn++, turns)) },
      executor: () => Promise.resolve(result),
      systemPrompt: 'You are a coding agent.',
      userPrompt: 'Work.',
      tools: [{ name: 'read', description: 'Read a file' }],
      budget: { maxToolCalls: turns, maxTokens: Number.MAX_SAFE_INTEGER },
      personaSlug: 'bench',
      ...more,
    })
    if (status !== 'completed') throw new Error(`The loop ended ${status}.`)
  }
}

const bare: Loop = async (turns, result) => {
  const messages: EngineLoopMessage[] = [
    { role: 'system', content: 'You are a coding agent.' },
    { role: 'user', content: 'Work.' },
  ]
  const read = (): Promise<string> => Promise.resolve(result)
  for (let turn = 0; ; turn++) {
    const response = await Promise.resolve(answer(turn, turns))
    if (response.stop === 'error') throw new Error(response.message)
    messages.push(response.assistantMessage)
    if (response.stop === 'text') return
    for (const { id, name } of response.assistantMessage.toolCalls ?? [])
      messages.push({ role: 'tool', content: await read(), toolCallId: id, toolName: name })
  }
}
