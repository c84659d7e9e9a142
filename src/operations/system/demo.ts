import * as z from 'zod'
import { operation } from '../operation.ts'
import type { Paint } from '../paint.ts'

const Step = () => z.strictObject({ name: z.string(), ok: z.boolean(), ms: z.int(), shown: z.string() })
type Step = z.infer<ReturnType<typeof Step>>

const demo = operation({
  name: 'demo',
  summary: 'See QED at work: a temporary repository, real processes, nothing left behind',
  effect: 'execute',
  streams: true,
  long: true,
  mcp: 'never',
  exitCodes: [130],
  input: z.strictObject({}),
  output: () => z.strictObject({ ok: z.boolean(), steps: z.array(Step()) }),
  examples: ['demo', 'demo --json'],
  failed: ({ ok }) => !ok,
  run: async (app, _input, call) => {
    const { walk } = await import('../../demo/walk.ts')
    const { processes } = await app.sandbox()
    const steps = await walk({ self: app.self, env: app.env, processes }, call.signal, step => call.emit?.(step))
    return { ok: steps.every(step => step.ok), steps }
  },
  view: paint => ({ take: event => ({ print: stepLines(event as Step, paint) }) }),
  human: ({ ok, steps }, paint) => {
    const seconds = (steps.reduce((sum, step) => sum + step.ms, 0) / 1000).toFixed(1)
    return ok
      ? `\n${paint.good(`${paint.glyph.ok} all ${steps.length} steps held`)} in ${seconds} s. Nothing was left behind.\n${paint.dim('In a repository of yours: qed init, then qed status.')}`
      : `\n${paint.bad(`${paint.glyph.fail} stopped`)} at step ${steps.length}. ${paint.dim('qed doctor tells what this machine lacks.')}`
  },
})

export const operations = [demo] as const

function stepLines({ name, ok, ms, shown }: Step, paint: Paint): string {
  const mark = ok ? paint.good(paint.glyph.ok) : paint.bad(paint.glyph.fail)
  return `${mark} ${paint.bold(name)} ${paint.dim(`${ms} ms`)}\n  ${shown}`
}
