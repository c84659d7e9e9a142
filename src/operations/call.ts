import * as z from 'zod'
import { listCalls } from '../store/call-record.ts'
import { operation } from './operation.ts'

const list = operation({
  name: 'call.list',
  summary: 'Calls that programs made over RPC, newest first; the last 10,000 are kept',
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
})

export const operations = [list] as const
