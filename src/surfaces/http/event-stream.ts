import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { App } from '../../app.ts'
import { InvalidInput } from '../../kernel/errors.ts'
import { tailEvents } from '../../store/tail.ts'

const HEARTBEAT_MS = 15_000

/** Server-sent events: `id` is the event's seq, so a browser that reconnects goes on where it was, without gap or repetition. */
export async function eventStream(context: Context, { app, stopping }: { app: App; stopping: AbortSignal }): Promise<Response> {
  const after = seqOf(context.req.header('last-event-id') ?? context.req.query('after'))
  const streams = context.req.query('streams')?.split(',').filter(Boolean)
  const { log } = await app.projectStore()
  return streamSSE(context, async stream => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    const heartbeat = setInterval(() => void stream.write(': here\n\n').catch(() => gone.abort()), HEARTBEAT_MS)
    try {
      // At once, so that the client sees the connection stand.
      await stream.write(': here\n\n')
      const filter = { after: after ?? log.head()?.seq ?? 0, ...(streams && streams.length > 0 && { streams }) }
      for await (const event of tailEvents(log, filter, AbortSignal.any([gone.signal, stopping, context.req.raw.signal]))) {
        await stream.writeSSE({ id: String(event.seq), event: event.type, data: JSON.stringify(event) })
      }
    } finally {
      clearInterval(heartbeat)
    }
  })
}

function seqOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const seq = Number(text)
  if (!Number.isInteger(seq) || seq < 0)
    throw new InvalidInput('GET /api/events', [{ path: '/after', message: 'expected the seq of an event' }])
  return seq
}
