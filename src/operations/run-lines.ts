import type { WorkEvent } from '../engine/work/types.ts'
import { visibleLine } from '../kernel/visible.ts'
import type { Question } from '../tools/tool.ts'
import { answerCommands, targetOf as targetLine } from './approval-words.ts'
import type { Paint } from './paint.ts'
import { progressLine, type ShownProgress } from './proof-progress.ts'

/** What a run tells while it works. */
export type RunEvent = WorkEvent | ShownProgress

/** One line for a person of what a run does; empty where there is nothing to say. */
export function runLine(event: RunEvent, paint: Paint): string {
  switch (event.type) {
    case 'run.working': {
      const { kind, model, scripted } = event.data
      return paint.dim(`${kind} with ${model}${scripted ? ' (scripted, no real model)' : ''}`)
    }
    case 'model.changed': {
      const { from, to, why, scripted } = event.data
      return paint.careful(visibleLine(`${from} failed (${why}); going on with ${to}${scripted ? ' (scripted, no real model)' : ''}`))
    }
    case 'call.decided': {
      const { verdict, name, reason, question } = event.data
      const allowed = verdict === 'allow'
      const mark = allowed ? paint.good(paint.glyph.ok) : paint.bad(paint.glyph.fail)
      return `${mark} ${name} ${targetOf(question)}${allowed ? '' : `  ${paint.dim(reason)}`}`
    }
    case 'approval.requested': {
      const { approval, here } = event.data
      if (here) return ''
      return paint.careful(`${paint.glyph.warn} waits for an answer: ${targetLine(approval)}  ${answerCommands(approval)}`)
    }
    case 'call.output':
    case 'model.delta':
      return ''
    default:
      return progressLine(event, paint)
  }
}

function targetOf({ command, tool, paths = [] }: Question): string {
  return visibleLine(command ?? tool ?? paths.map(({ path }) => path).join(', ')).slice(0, 100)
}
