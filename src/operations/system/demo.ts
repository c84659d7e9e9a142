import * as z from 'zod'
import type { DemoEvent } from '../../demo/walk.ts'
import { wrap } from '../../kernel/wrap.ts'
import { operation, type Shown, type View } from '../operation.ts'
import type { Paint } from '../paint.ts'

const Step = () => z.strictObject({ name: z.string(), ok: z.boolean(), ms: z.int(), shown: z.string() })

const INTRODUCTION = `A worker is asked to mend a failing test. Its words come from a script: no model, no network.
Everything else is real: the engine, the policy, the sandbox, the proofs, the log.
`
const NEXT = `In a repository of yours:
  qed init
  qed fix "what is broken" --scope 'src/**' --verify 'npm test' --model <provider>/<model>`

const demo = operation({
  name: 'demo',
  summary: 'See QED at work: a worker that lies, a proof that refuses it, and one that holds; offline, nothing left behind',
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
    const steps = await walk({ self: app.self, env: app.env, processes }, call.signal, event => call.emit?.(event))
    return { ok: steps.every(step => step.ok), steps }
  },
  view: demoView,
  human: ({ ok, steps }, paint) => {
    const seconds = (steps.reduce((sum, step) => sum + step.ms, 0) / 1000).toFixed(1)
    const held = `The model was a script, everything else was real. It took ${seconds} s, and nothing was left behind.`
    return ok
      ? `\n${paint.good(`${paint.glyph.ok} all ${steps.length} steps held`)}\n${wrap(held, paint.width, '')}\n${NEXT}`
      : `\n${paint.bad(`${paint.glyph.fail} stopped`)} at step ${steps.length}. ${paint.dim('qed doctor tells what this machine lacks.')}`
  },
})

export const operations = [demo] as const

/** The run in the middle is shown as anyone sees a run. */
async function demoView(paint: Paint, on: { live: boolean }): Promise<View> {
  const { createRunView } = await import('../run-view.ts')
  const run = createRunView(paint, on)
  return {
    take: event => {
      const { type, data } = event as DemoEvent
      switch (type) {
        case 'demo.step':
          return { print: `${data.n === 1 ? INTRODUCTION : ''}${stepHead(data, paint)}`, live: { label: data.name } }
        case 'demo.event':
          return run.take(data)
        case 'demo.ended':
          return stepEnd(data, paint)
      }
    },
  }
}

function stepHead({ n, of, name, command }: Extract<DemoEvent, { type: 'demo.step' }>['data'], { bold, accent, dim }: Paint): string {
  return ['', `${accent(`${n}/${of}`)} ${bold(name)}`, ...(command === null ? [] : [dim(`$ ${command}`)])].join('\n')
}

function stepEnd({ ok, ms, shown }: Extract<DemoEvent, { type: 'demo.ended' }>['data'], paint: Paint): Shown {
  const mark = ok ? paint.good(paint.glyph.ok) : paint.bad(paint.glyph.fail)
  return { print: `${mark} ${wrap(shown, paint.width - 12, '  ')} ${paint.dim(`${ms} ms`)}` }
}
