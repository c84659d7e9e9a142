export { globsOf } from './globs.ts'
export { hasFlag, type PlainCommand, plainCommand } from './plain-command.ts'
export type {
  Segment,
  SegmentAssignment,
  SegmentLevels,
  SegmentPath,
  SegmentRedirect,
  SegmentWord,
  ShellClass,
  ShellReading,
  Via,
  WordKind,
} from './reading.ts'
export { type ShellWorld, understandShell } from './understand.ts'
