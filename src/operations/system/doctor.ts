import * as z from 'zod'
import { visibleLine } from '../../kernel/visible.ts'
import { wrap } from '../../kernel/wrap.ts'
import { operation } from '../operation.ts'
import { runChecks } from './doctor-checks.ts'

const doctor = operation({
  name: 'doctor',
  summary: 'Check this machine and project, and say what to do about each problem',
  when: 'Use when something of QED does not work, or before the first run on a machine.',
  effect: 'read',
  mcp: 'core',
  long: true,
  input: z.strictObject({}),
  output: () =>
    z.strictObject({
      ok: z.boolean(),
      checks: z.array(
        z.strictObject({
          id: z.string(),
          status: z.enum(['ok', 'warn', 'fail']),
          summary: z.string(),
          fix: z.string().optional(),
          data: z.record(z.string(), z.json()).optional(),
        }),
      ),
    }),
  examples: ['doctor', 'doctor --json'],
  failed: ({ ok }) => !ok,
  run: async app => {
    const checks = await runChecks(app)
    return { ok: checks.every(check => check.status !== 'fail'), checks }
  },
  human: ({ ok, checks }, paint) => {
    const width = Math.max(...checks.map(check => check.id.length))
    const colour = { ok: paint.good, warn: paint.careful, fail: paint.bad }
    const indent = ' '.repeat(width + 10)
    const fitted = (text: string): string => wrap(visibleLine(text), paint.width - indent.length, indent)
    const lines = checks.flatMap(({ id, status, summary, fix }) => [
      `${colour[status](`${paint.glyph[status]} ${status.padEnd(4)}`)}  ${paint.bold(id.padEnd(width))}  ${fitted(summary)}`,
      ...(fix ? [`${indent}${fitted(`${paint.glyph.arrow} ${fix}`)}`] : []),
    ])
    return [
      ...lines,
      ok ? paint.good('All that QED needs is there.') : paint.bad('Something QED needs is missing; see the lines marked fail.'),
    ].join('\n')
  },
})

export const operations = [doctor] as const
