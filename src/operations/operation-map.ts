import type * as z from 'zod'
import type { groups } from './catalogue.ts'

type Modules = Awaited<ReturnType<(typeof groups)[number]['load']>>
type Operations = Modules['operations'][number]

/** Every operation's input and output as types, from the catalogue itself. */
export type OperationMap = {
  [Op in Operations as Op['name']]: { input: z.input<Op['input']>; output: z.output<ReturnType<Op['output']>> }
}
