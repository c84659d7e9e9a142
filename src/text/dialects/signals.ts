import type { Call } from './types.ts'

/** What a model says about where its work stands. */
export interface Signal {
  status: number
  text: string
}

const WORKING = 102
const DONE = 200
export const DECLINED = 422
const FINAL = new Set([DONE, 204, DECLINED])
const SUMMARIZE = 'summarize'
const UPDATE = 'update'

export function isFinal(signal: Signal): boolean {
  return FINAL.has(signal.status)
}

export function isSignal(call: Pick<Call, 'name'>): boolean {
  return call.name === UPDATE || call.name === SUMMARIZE
}

/** The signals among the calls of a reply, in order. A status that means nothing counts as still working. */
export function signalsOf(calls: readonly Pick<Call, 'name' | 'arguments'>[]): Signal[] {
  return calls.filter(isSignal).map(({ name, arguments: given }) => {
    const text = typeof given['body'] === 'string' ? given['body'] : ''
    const status = name === SUMMARIZE ? DONE : Number(given['status'] ?? WORKING)
    return { status: FINAL.has(status) ? status : WORKING, text }
  })
}
