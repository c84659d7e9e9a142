import { hasFlag, plainCommand, type Segment, type SegmentLevels, type SegmentWord, understandShell } from './shell/index.ts'
import type { ReadShell, ShellLevel, ShellSegment } from './shell-port.ts'

/** The real reader behind the port: the reading of the shell room, with each level cut for rules. */
export const readShell: ReadShell = (command, at) => {
  const { segments, levels, ...reading } = understandShell(command, at)
  return { ...reading, segments: segments.map((segment, i) => ({ ...segmentOf(segment), levels: levelsOf(levels[i]) })) }
}

function segmentOf({ range: [start, end], redirects, ...segment }: Segment): Omit<ShellSegment, 'levels'> {
  return {
    ...segment,
    range: { start, end },
    redirects: redirects.map(({ operator, target, descriptor }) => ({ operator, target, fd: descriptor })),
  }
}

function levelsOf(levels: SegmentLevels | undefined): ShellLevel[] {
  return (levels?.argvs ?? []).map((argv, i) => levelOf(argv, i === 0 || levels?.transparent === true))
}

function levelOf(argv: SegmentWord[], transparent: boolean): ShellLevel {
  // Most commands meet no rule that looks inside them.
  let cut: ReturnType<typeof plainCommand> | undefined
  const plain = () => (cut ??= plainCommand(argv))
  return {
    argv,
    transparent,
    get program() {
      return plain().program
    },
    get subcommand() {
      return plain().subcommand
    },
    get operands() {
      return plain().operands
    },
    hasFlag: flag => hasFlag(plain(), flag),
  }
}
