import * as z from 'zod'
import { listCalls } from '../store/call-record.ts'
import { fitRecord } from './fit-record.ts'
import { operation } from './operation.ts'

const list = operation({
  name: 'call.list',
  summary: 'Calls that programs made over RPC, newest first; the last 10,000 are kept',
  when: 'Use to see which program called what over RPC, how long it took and what failed.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  input: z.strictObject({
    limit: z.int().min(1).max(1000).default(50).describe('Most calls to return'),
    before: z.int().positive().optional().describe('Only calls with a smaller id'),
  }),
  output: () =>
    z.strictObject({
      items: z.array(
        z.strictObject({
          id: z.int(),
          at: z.string(),
          surface: z.string(),
          connection: z.string(),
          client: z.string().nullable(),
          method: z.string(),
          request: z.string().nullable(),
          input: z.string(),
          output: z.string().nullable(),
          error: z.string().nullable(),
          duration_ms: z.number(),
        }),
      ),
    }),
  examples: ['call list', 'call list --limit 10 --json'],
  run: async (app, page) => ({ items: listCalls((await app.projectStore()).db, page) }),
  human: ({ items }, paint) =>
    items.length === 0
      ? paint.dim('No program has called yet.')
      : items
          .map(({ id, at, method, client, connection, duration_ms, error, input }) => {
            const state =
              error === null
                ? { text: `${paint.glyph.ok} ok`, paint: paint.good }
                : { text: `${paint.glyph.fail} failed`, paint: paint.bad }
            const pieces = [
              { text: String(id).padStart(6), paint: paint.dim },
              { text: at.slice(11, 23), paint: paint.dim },
              state,
              { text: method, paint: paint.accent },
              { text: `${Math.round(duration_ms)} ms`, paint: paint.dim },
              { text: client ?? connection, paint: paint.dim },
            ]
            return fitRecord(pieces, error ?? input, paint.width)
          })
          .join('\n'),
})

export const operations = [list] as const
