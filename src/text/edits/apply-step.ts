import { applyContent } from './apply-content.ts'
import { applyLines } from './apply-lines.ts'
import { applySed } from './apply-sed.ts'
import { applyText } from './apply-text.ts'
import type { Step } from './parsed.ts'
import type { Position, StepContext, StepResult } from './step.ts'

/** Applies one step or refuses. */
export function applyStep(step: Step, at: Position, context: StepContext): StepResult {
  switch (step.kind) {
    case 'lines':
      return applyLines(step, at, context)
    case 'text':
      return applyText(step, at, context)
    case 'sed':
      return applySed(step, at, context)
    case 'content':
      return applyContent(step, at)
  }
}
