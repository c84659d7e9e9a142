/** What a model says, before it is put into the form of a protocol. */
export interface DoubleReply {
  thinking?: string[]
  text?: string[]
  /** `arguments` in the pieces in which they are streamed. */
  calls?: { id: string; name: string; arguments: string[] }[]
  /** Why it ends, other than by itself. */
  end?: 'length' | 'refused'
  usage: { prompt: number; cached: number; cacheWrite: number; completion: number; reasoning: number }
}

export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
