import { isPlainObject, parseJson } from '../kernel/json.ts'

/** What a model provider says in the body of a refusal. */
export interface ErrorBody {
  /** Empty where it says nothing that is meant to be read. */
  message: string
  /** Short names of what is wrong, by which a program is to know it. */
  codes: string[]
  retryAfterMs: number | undefined
  /** Whether it was written for a program: by a model provider then, and not by what happens to be at the address. */
  structured: boolean
}

/** Reads it in any of the forms that are in use: `{ error: { message } }`, `{ error: "…" }`, `{ message }`, `{ detail }`, each alone or in
 *  a list, and what a reseller passes on of the model provider behind it. */
export function readErrorBody(body: string): ErrorBody {
  const said = parseJson(body)
  const whole: unknown = Array.isArray(said) ? said[0] : said
  if (!isPlainObject(whole)) return { message: plainText(body), codes: [], retryAfterMs: undefined, structured: false }
  const response = isPlainObject(whole['response']) ? whole['response'] : {}
  const error = [whole['error'], response['error']].find(isPlainObject) ?? whole
  const details = (Array.isArray(error['details']) ? error['details'] : []).filter(isPlainObject)
  const behind = isPlainObject(error['metadata']) ? error['metadata']['raw'] : undefined
  const inner = typeof behind === 'string' ? readErrorBody(behind) : null
  const message = [textIn(error['message']), textIn(whole['error']), textIn(error['detail'])].find(text => text !== '') ?? ''
  return {
    message: inner?.message ? `${message}: ${inner.message}` : message,
    codes: [...codesIn(error), ...details.flatMap(codesIn), ...(inner?.codes ?? [])],
    retryAfterMs: details.map(({ retryDelay }) => delayOf(retryDelay)).find(ms => ms !== undefined),
    structured: true,
  }
}

/** A text; also one inside another form: JSON as text, or the list of faults that a schema found. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value.startsWith('{') ? readErrorBody(value).message || value : value
  if (Array.isArray(value)) return value.map(faultOf).filter(Boolean).join('; ')
  return isPlainObject(value) ? textIn(value['detail']) : ''
}

function faultOf(fault: unknown): string {
  if (!isPlainObject(fault) || typeof fault['msg'] !== 'string') return ''
  const at = Array.isArray(fault['loc']) ? fault['loc'].join('.') : ''
  return at === '' ? fault['msg'] : `${at}: ${fault['msg']}`
}

function codesIn(facts: Record<string, unknown>): string[] {
  const violations = Array.isArray(facts['violations']) ? facts['violations'].filter(isPlainObject) : []
  const named = ['code', 'type', 'status', 'reason', 'quotaId'].map(name => facts[name])
  return [...named.filter(code => typeof code === 'string'), ...violations.flatMap(codesIn)]
}

/** `34.07s` */
function delayOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(value)?.[1] : undefined
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1_000)
}

// A page is for a browser.
function plainText(body: string): string {
  const text = body.trim()
  return text.startsWith('<') || text.startsWith('{') ? '' : text
}
