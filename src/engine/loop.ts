// One prompt worked to its end: ask the model, carry out its calls, give it the results, until it answers, the budget is used
// up, or something cannot go on. Touches neither disk nor network; what it needs stands beside it.

import { withIds } from '../runs/call-ids.ts'
import type { TurnCall, TurnFacts } from '../text/dialects/judge-turn.ts'
import { isFinal, isSignal, signalsOf } from '../text/dialects/signals.ts'
import { ABORTED, untilAborted } from './abort.ts'
import { type CallScene, type CallsOutcome, carryOut } from './calls.ts'
import { safeHooks } from './hooks.ts'
import { offeredTools } from './offered.ts'
import { tokensOf } from './tokens.ts'
import { plainTranscript } from './transcript.ts'
import type {
  ContextStrategy,
  EngineLoopAnswer,
  EngineLoopHooks,
  EngineLoopInput,
  EngineLoopMessage,
  EngineLoopOutcome,
  EngineLoopResponse,
  EngineToolCall,
} from './types.ts'

const EMPTY_TOOL_USE = 'Your reply announced a tool call but contained none. Call a tool or give your answer.'
const GO_ON = 'Your reply was cut off. Go on from where it ended.'
const CUT_CALL = 'Error: the reply was cut off, so this call did not run. Make it again.'

type End = Pick<EngineLoopOutcome, 'status'> & { reason?: string; finalText?: string; truncated?: true }

/** Works one prompt to its end. Never rejects: every way out is an outcome. */
export async function runEngineLoop(input: EngineLoopInput): Promise<EngineLoopOutcome> {
  const loop = open(input)
  let end: End | null = null
  try {
    begin(loop)
    if (input.resume?.reply) end = await take(loop, input.resume.reply)
    while (!end) {
      end = mayNotSend(loop)
      if (end) break
      const response = await ask(loop)
      end = response.stop === 'error' ? ofError(loop, response) : await take(loop, response)
    }
  } catch (error) {
    // Only a broken strategy or judge comes here.
    end = failed('failed', error instanceof Error ? error.message : String(error))
  }
  return outcome(loop, end)
}

interface Loop {
  input: EngineLoopInput
  context: ContextStrategy
  hooks: Required<EngineLoopHooks>
  scene: CallScene
  turnsUsed: number
  tokensUsed: number
  toolCallCount: number
  facts: TurnFacts[]
  lastText: string
  emptyToolUse: boolean
  continued: boolean
}

function open(input: EngineLoopInput): Loop {
  const context = input.context ?? plainTranscript()
  const { resume } = input
  const hooks = safeHooks(input.hooks, input.onHookFailure)
  return {
    input,
    context,
    hooks,
    scene: {
      executor: input.executor,
      offered: offeredTools(input.tools),
      names: input.tools.map(tool => tool.name),
      maxToolCalls: input.budget.maxToolCalls,
      hooks,
      signal: input.signal,
    },
    turnsUsed: resume?.turnsUsed ?? 0,
    tokensUsed: resume?.tokensUsed ?? 0,
    toolCallCount: resume?.toolCallCount ?? 0,
    facts: [...(resume?.facts ?? [])],
    lastText: resume?.facts.findLast(turn => turn.text !== '')?.text ?? '',
    emptyToolUse: false,
    continued: false,
  }
}

/** The first frames, or what the last of them says about where an interrupted loop stood. */
function begin(loop: Loop): void {
  const { context, input } = loop
  if (!input.resume) return context.start(input.systemPrompt, input.userPrompt)
  const lastTold = context.messages().at(-1)?.content
  loop.emptyToolUse = lastTold === EMPTY_TOOL_USE
  loop.continued = lastTold === GO_ON
}

/** A turn is never sent without room for it. */
function mayNotSend({ input, tokensUsed }: Loop): End | null {
  if (input.signal?.aborted) return failed('aborted', 'The run was stopped.')
  if (tokensUsed < input.budget.maxTokens) return null
  return exhausted('tokens', `${tokensUsed} of ${input.budget.maxTokens} tokens are used.`)
}

async function ask(loop: Loop): Promise<EngineLoopResponse> {
  const response = await sendOnce(loop)
  if (response.stop !== 'error' || response.code !== 'context_overflow') return response
  // Once per turn: a second overflow means that making room did not help.
  return (await loop.context.overflow()) ? sendOnce(loop) : response
}

async function sendOnce(loop: Loop): Promise<EngineLoopResponse> {
  const { input, context, hooks } = loop
  const turnIndex = loop.turnsUsed
  const { temperature, signal } = input
  const messages = [...context.messages()]
  hooks.onTurnStart(turnIndex, messages.length)
  loop.turnsUsed++
  const options = {
    personaSlug: input.personaSlug,
    maxTokens: input.budget.maxTokens - loop.tokensUsed,
    ...(temperature !== undefined && { temperature }),
    ...(signal && { signal }),
  }
  const response = await settled(() => input.client.send(messages, input.tools, options), signal)
  hooks.onTurnComplete(turnIndex, response)
  if (response.stop !== 'error') loop.tokensUsed += tokensOf(response, messages)
  return response
}

async function settled(send: () => Promise<EngineLoopResponse>, signal: AbortSignal | undefined): Promise<EngineLoopResponse> {
  try {
    const response = await untilAborted(Promise.resolve().then(send), signal, 0)
    return response === ABORTED ? { stop: 'error', code: 'failed', message: 'The run was stopped.' } : response
  } catch (error) {
    return { stop: 'error', code: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

function ofError({ input }: Loop, { code, message }: Extract<EngineLoopResponse, { stop: 'error' }>): End {
  if (input.signal?.aborted) return failed('aborted', 'The run was stopped.')
  return code === 'budget' ? exhausted('budget', message) : failed(code, message)
}

/** Takes a reply in: carries out its calls, and says whether the loop ends with it. */
async function take(loop: Loop, answer: EngineLoopAnswer): Promise<End | null> {
  const calls = withIds(answer.assistantMessage.toolCalls ?? [], loop.turnsUsed - 1)
  const message: EngineLoopMessage = calls.length === 0 ? answer.assistantMessage : { ...answer.assistantMessage, toolCalls: calls }
  const text = answer.stop === 'text' ? answer.content : message.content
  if (text !== '') loop.lastText = text

  if (answer.stop === 'text' && answer.truncated) return cutOff(loop, message, text)
  loop.continued = false
  if (calls.length === 0 && answer.stop === 'tool_use') return withoutAnnounced(loop, message, text)
  loop.emptyToolUse = false
  if (calls.length > 0) return withCalls(loop, { message, calls, text, rejected: answer.rejected })
  loop.context.append([message])
  const end = turnEnd(loop, { text, calls: [], signals: [] })
  return loop.input.judge ? end : { status: 'completed', finalText: text }
}

function cutOff(loop: Loop, message: EngineLoopMessage, text: string): End | null {
  if (!loop.input.continueTruncated || loop.continued) return { status: 'completed', finalText: text, truncated: true }
  loop.continued = true
  loop.emptyToolUse = false
  const unanswered = (message.toolCalls ?? []).map(
    (call): EngineLoopMessage => ({
      role: 'tool',
      content: CUT_CALL,
      toolCallId: call.id,
      toolName: call.name,
    }),
  )
  loop.context.append([message, ...unanswered, { role: 'user', content: GO_ON }])
  loop.facts.push({ text, calls: [], signals: [] })
  tellEnd(loop)
  return null
}

function withoutAnnounced(loop: Loop, message: EngineLoopMessage, text: string): End | null {
  loop.facts.push({ text, calls: [], signals: [] })
  if (loop.emptyToolUse) return failed('empty_tool_use', 'Two replies in a row announced a tool call and contained none.')
  loop.emptyToolUse = true
  loop.context.append([message, { role: 'user', content: EMPTY_TOOL_USE }])
  tellEnd(loop)
  return null
}

interface Turn {
  message: EngineLoopMessage
  calls: EngineToolCall[]
  text: string
  rejected: { id: string; message: string }[] | undefined
}

async function withCalls(loop: Loop, { message, calls, text, rejected = [] }: Turn): Promise<End | null> {
  const doubts = new Map(rejected.map(({ id, message: why }) => [id, why]))
  const done = await carryOut(calls, { rejected: doubts, spent: loop.toolCallCount }, loop.scene)
  loop.toolCallCount += done.carriedOut
  if (done.end) return ofCalls(done.end)
  loop.context.append([message, ...done.frames])
  return turnEnd(loop, turnFacts(text, done.facts))
}

function ofCalls(end: NonNullable<CallsOutcome['end']>): End {
  switch (end.kind) {
    case 'aborted':
      return failed('aborted', 'The run was stopped.')
    case 'tool_calls':
      return exhausted('tool_calls', 'No tool call is left.')
    case 'refused':
      return { status: 'tool_refused', reason: `tool_refused: ${end.message}` }
  }
}

function turnFacts(text: string, calls: TurnCall[]): TurnFacts {
  // A signal that did not arrive whole is none.
  const signals = signalsOf(calls.filter(call => call.ok))
  return { text, calls: calls.filter(call => !isSignal(call) || !call.ok), signals }
}

function turnEnd(loop: Loop, facts: TurnFacts): End | null {
  loop.facts.push(facts)
  const end = loop.input.judge ? judged(loop, facts) : null
  tellEnd(loop)
  return end
}

function tellEnd({ hooks, turnsUsed, tokensUsed, toolCallCount, facts }: Loop): void {
  hooks.onTurnEnd({ turnsUsed, tokensUsed, toolCallCount }, facts.at(-1) ?? null)
}

function judged(loop: Loop, facts: TurnFacts): End | null {
  const { verdict, reason, notice } = loop.input.judge?.(loop.facts) ?? { verdict: 'continue' as const }
  if (verdict === 'claim') {
    const said = facts.signals.findLast(isFinal)?.text ?? ''
    const finalText = said === '' ? facts.text : said
    return reason === 'declined' ? failed('declined', finalText || 'The model declined.') : { status: 'completed', finalText }
  }
  if (verdict === 'stop') return stopped(reason ?? 'stalled')
  if (notice !== undefined) loop.context.append([{ role: 'user', content: notice }])
  return null
}

function stopped(reason: string): End {
  const words = STOPS[reason] ?? 'The loop did not come on.'
  return reason === 'max_turns' ? exhausted(reason, words) : failed(reason, words)
}

const STOPS: Record<string, string> = {
  max_turns: 'Every turn that the loop may have is used.',
  loop_detected: 'The same calls came again and again.',
  stalled: 'Several turns in a row brought nothing new.',
}

function failed(code: string, sentence: string): End {
  return { status: 'failed', reason: `${code}: ${sentence}` }
}

function exhausted(code: string, sentence: string): End {
  return { status: 'budget_exhausted', reason: `${code}: ${sentence}` }
}

function outcome({ lastText, toolCallCount, tokensUsed, turnsUsed }: Loop, end: End): EngineLoopOutcome {
  const finalText = end.finalText ?? (end.status === 'failed' ? '' : lastText)
  return { ...end, finalText, toolCallCount, tokensUsed, turnsUsed }
}
