import { strictest } from '../verdict.ts'
import { unseenBelow } from './floor/below.ts'
import { ambiguous, askingFlags, catastrophic, destructive, ownProgram } from './floor/commands.ts'
import { device, malformedPath, outsideRoots, ownFolders, secret } from './floor/paths.ts'
import { sacred, sacredUnloadable } from './floor/sacred.ts'
import type { Layer } from './layer.ts'

/** What no rule, approval or brief lifts. Several may speak; the strictest counts, the first of equals. */
const CHECKS: Layer[] = [
  malformedPath,
  device,
  outsideRoots,
  secret,
  ownFolders,
  sacredUnloadable,
  sacred,
  ownProgram,
  catastrophic,
  destructive,
  askingFlags,
  ambiguous,
  unseenBelow,
]

export const floor: Layer = (subject, layers) => {
  const answers = CHECKS.map(check => check(subject, layers)).filter(answer => answer !== null)
  return strictest(answers, answer => answer.verdict) ?? null
}
