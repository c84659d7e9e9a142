// The same scripted work through other loop libraries, in process: a model that answers at once, one tool that does nothing. Their
// own model layers are left out, which favours them.
import { Agent } from '@earendil-works/pi-agent-core'
import { createAssistantMessageEventStream } from '@earendil-works/pi-ai'
import { isStepCount, ToolLoopAgent, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { Type } from 'typebox'
import * as z from 'zod'

/** @param {number} turns @param {string} result */
export async function aiSdk(turns, result) {
  const usage = { inputTokens: { total: 100 }, outputTokens: { total: 10 } }
  let turn = 0
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const calls = turn++ < turns
      const content = calls
        ? [{ type: 'tool-call', toolCallId: `call_${turn}`, toolName: 'read', input: JSON.stringify({ path: `f${turn}.txt` }) }]
        : [{ type: 'text', text: 'Done.' }]
      return { content, finishReason: { unified: calls ? 'tool-calls' : 'stop', raw: undefined }, usage, warnings: [] }
    },
  })
  const tools = { read: tool({ description: 'Read a file', inputSchema: z.object({ path: z.string() }), execute: async () => result }) }
  const { text } = await new ToolLoopAgent({ model, tools, stopWhen: isStepCount(turns + 5) }).generate({ prompt: 'Work.' })
  if (text !== 'Done.') throw new Error(`The loop ended with: ${text}`)
}

/** @param {number} turns @param {string} result */
export async function piAgentCore(turns, result) {
  let turn = 0
  const model = {
    id: 'double',
    name: 'double',
    api: 'openai-completions',
    provider: 'double',
    baseUrl: 'http://127.0.0.1',
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1e7,
    maxTokens: 8192,
  }
  const usage = {
    input: 100,
    output: 10,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 110,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  }
  const streamFn = () => {
    const calls = turn++ < turns
    const content = calls
      ? [{ type: 'toolCall', id: `call_${turn}`, name: 'read', arguments: { path: `f${turn}.txt` } }]
      : [{ type: 'text', text: 'Done.' }]
    const message = {
      role: 'assistant',
      content,
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage,
      stopReason: calls ? 'toolUse' : 'stop',
      timestamp: Date.now(),
    }
    const stream = createAssistantMessageEventStream()
    stream.push({ type: 'start', partial: message })
    stream.push({ type: 'done', reason: message.stopReason, message })
    return stream
  }
  const read = {
    name: 'read',
    label: 'read',
    description: 'Read a file',
    parameters: Type.Object({ path: Type.String() }),
    execute: async () => ({ content: [{ type: 'text', text: result }], details: {} }),
  }
  const agent = new Agent({
    initialState: { systemPrompt: 'You are a coding agent.', model, tools: [read], thinkingLevel: 'off' },
    getApiKey: () => 'x',
    streamFn,
  })
  await agent.prompt('Work.')
  await agent.waitForIdle()
  const last = agent.state.messages.at(-1)
  if (last.content[0]?.text !== 'Done.') throw new Error(`The loop ended with: ${JSON.stringify(last).slice(0, 300)}`)
}
