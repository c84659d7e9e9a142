export { type Outline, type OutlineWord, outlineShell, partsOfOutline } from './outline.ts'
export { hasFlag, plainCommand } from './plain-command.ts'
export type { Segment, SegmentLevels, SegmentWord } from './reading.ts'
export { understandShell } from './understand.ts'
