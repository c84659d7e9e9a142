import * as z from 'zod'

/** One link of the log. `hash` covers `prev`, `seq`, `stream`, `type`, `at` and the SHA-256 of `data`, so that data can be
 *  taken out later with the chain still valid. */
export const Event = () =>
  z.strictObject({
    seq: z.int().positive(),
    stream: z.string(),
    type: z.string(),
    at: z.string(),
    data: z.record(z.string(), z.json()),
    prev: z.string(),
    hash: z.string(),
  })
export type Event = z.infer<ReturnType<typeof Event>>

/** The closed union of one kind of stream: event type → shape of its data, made
 *  when first appended. A stream is `<kind>` or `<kind>:<id>`. */
export type EventTypes = Record<string, () => z.ZodObject>

/** All kinds of stream a log knows. What is not in it cannot be appended. */
export type EventCatalogue = Record<string, EventTypes>

export function streamKind(stream: string): string {
  const colon = stream.indexOf(':')
  return colon < 0 ? stream : stream.slice(0, colon)
}

/** I-9: a person has taken out what the event told; its digest is left. */
export function isTakenOut({ data }: Pick<Event, 'data'>): boolean {
  return data['redacted'] === true && typeof data['sha256'] === 'string' && Object.keys(data).length === 2
}
