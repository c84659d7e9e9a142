import type { TreeRef } from '../proof/facts.ts'
import type { ProveProgress } from '../proof/prove.ts'
import type { Paint } from './paint.ts'

/** Progress of a proof as surfaces send it. */
export type ShownProgress =
  | { type: 'proof.captured'; data: { base: TreeRef; result: TreeRef; changed: number } }
  | { type: 'proof.planned'; data: { runs: string[] } }
  | { type: 'proof.prepared'; data: { command: string | null; outcome: string } }
  | { type: 'run.started'; data: { name: string; n: number } }
  | { type: 'run.output'; data: { name: string; text: string } }
  | { type: 'run.ended'; data: { name: string; n: number; exit: number | null; reason: string; duration_ms: number } }

export function shown(event: ProveProgress): ShownProgress {
  switch (event.kind) {
    case 'captured':
      return { type: 'proof.captured', data: { base: event.subject.base, result: event.subject.result, changed: event.changed } }
    case 'planned':
      return { type: 'proof.planned', data: { runs: event.plan.required } }
    case 'prepared':
      return { type: 'proof.prepared', data: { command: event.prepare.command, outcome: event.prepare.outcome } }
    case 'run.started':
      return { type: 'run.started', data: { name: event.name, n: event.n } }
    case 'run.output':
      return { type: 'run.output', data: { name: event.name, text: event.text } }
    case 'run.ended': {
      const { name, n, exit, reason, duration_ms } = event.run
      return { type: 'run.ended', data: { name, n, exit, reason, duration_ms } }
    }
  }
}

const RUNS: Record<string, string> = {
  base: 'before the work',
  half: 'only the new tests',
  broken: 'code emptied',
  result: 'the result',
  vary: 'another time and place',
}

/** One line of progress while a proof is made; empty where there is nothing to say. */
export function progressLine({ type, data }: ShownProgress, paint: Paint): string {
  switch (type) {
    case 'proof.captured':
      return paint.dim(`captured: ${data.changed} ${data.changed === 1 ? 'path' : 'paths'} changed since ${data.base.commit.slice(0, 8)}`)
    case 'proof.prepared':
      return data.command === null ? '' : paint.dim(`dependencies (${data.outcome}): ${data.command}`)
    case 'run.started':
      return paint.dim(`running: ${RUNS[data.name] ?? data.name} …`)
    case 'run.ended':
      return paint.dim(
        `  ended ${data.exit === null ? data.reason : `with exit ${data.exit}`} after ${(data.duration_ms / 1000).toFixed(1)} s`,
      )
    default:
      return ''
  }
}
