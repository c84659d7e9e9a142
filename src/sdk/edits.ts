export { applyEdit } from '../text/edits/apply.ts'
export { type PlanInput, type PlannedChange, type PlanOutput, planEdits } from '../text/edits/plan.ts'
export { type SplitEdit, type SplitInput, type SplitOutput, splitReply } from '../text/edits/split.ts'
export type {
  Action,
  AppliedEdit,
  EditError,
  EditInput,
  EditOutput,
  ErrorCode,
  Format,
  Match,
  Near,
  Outcome,
  Pair,
  Warning,
} from '../text/edits/types.ts'
export { type MatchInput, type MatchOutput, matchStrings } from '../text/patterns/match-strings.ts'
export type { PatternError, PatternKind, PatternMode, PatternOutcome, PatternResult } from '../text/patterns/pattern.ts'
export { previewLines } from '../text/patterns/preview.ts'
export { type Selectable, type Selection, selectEntries } from '../text/patterns/select.ts'
