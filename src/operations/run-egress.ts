import * as z from 'zod'
import { visibleLine } from '../kernel/visible.ts'
import { type Egress, egressOf } from '../runs/egress.ts'
import { eventsOf } from '../runs/history.ts'
import { operation } from './operation.ts'
import type { Paint } from './paint.ts'
import { runRecords } from './run-house.ts'

const measured = { sha256: z.string().nullable(), bytes: z.int(), times: z.int(), providers: z.array(z.string()) }

const Output = () =>
  z.strictObject({
    run: z.string(),
    providers: z.array(z.strictObject({ provider: z.string(), model: z.string(), requests: z.int() })),
    files: z.array(z.strictObject({ path: z.string(), ...measured })),
    other: z.array(z.strictObject({ kind: z.enum(['system', 'prompt', 'result', 'notice', 'reply']), from: z.string(), ...measured })),
    totals: z.strictObject({ files: z.int(), bytes: z.int() }),
    redacted: z.int().optional().describe('Events that a person took out since; what they told of is not listed'),
  })

export const egress = operation({
  name: 'run.egress',
  summary: 'Which files and which other data of a run went to which model provider',
  when: 'Use to see what left this machine during a run.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  positional: ['run'],
  input: z.strictObject({ run: z.string().min(1).describe('Id or alias of the run') }),
  output: Output,
  examples: ['run egress 1a2b3c4d'],
  run: async (app, { run: id }) => {
    const { runs, store } = await runRecords(app)
    const run = runs.get(id)
    return { run: run.id, ...egressOf(eventsOf(store.log, run.id)) }
  },
  human: forPerson,
})

function forPerson({ providers, files, other, totals, redacted = 0 }: Egress & { run: string }, paint: Paint): string {
  if (providers.length === 0) return 'Nothing was sent.'
  return [
    ...providers.map(
      ({ provider, model, requests }) =>
        `${paint.bold(visibleLine(provider))}  ${visibleLine(model)}, ${requests} ${requests === 1 ? 'request' : 'requests'}`,
    ),
    ...files.map(({ path, sha256, bytes }) => `${bytes} bytes  ${visibleLine(path)}  ${paint.dim(sha256?.slice(0, 12) ?? '')}`),
    ...other.map(({ kind, from, bytes }) => `${bytes} bytes  ${paint.dim(`${kind} ${visibleLine(from)}`.trim())}`),
    ...(redacted === 0 ? [] : [paint.careful(`${redacted} events of the run were taken out since; what they told of is not listed`)]),
    paint.dim(`${totals.files} ${totals.files === 1 ? 'file' : 'files'}, ${totals.bytes} bytes in all`),
  ].join('\n')
}
