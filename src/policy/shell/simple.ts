import type { Flag } from '../types.ts'
import { NAME_VALUE } from './assignments.ts'
import { overridesBehaviour } from './env-names.ts'
import type { Folders } from './folders.ts'
import { flagsOfInput } from './interpreters.ts'
import type { Call, Judgement, PathUse } from './judgement.ts'
import { isFeedable, judge } from './judges.ts'
import { MOST_SEGMENTS, MOST_WRAPPERS } from './limits.ts'
import { expandGlobs } from './paths.ts'
import { addAmbiguity, addSegment, attachRedirects, baseOf, type Peeled, type SimpleCommand, trustedName } from './segment.ts'
import type { Reader, ShellState } from './state.ts'
import { type Unwrapped, unwrap, unwrapXargs } from './unwrap.ts'
import { shown, type Word } from './word.ts'

/** Takes the wrappers off, judges what is left and adds it to the reading. Gives the folders the shell stands in afterwards. */
export function readSimple(command: SimpleCommand, state: ShellState, reader: Reader): Folders {
  if (reader.drafts.length >= MOST_SEGMENTS) {
    reader.unknown(`more than ${MOST_SEGMENTS} segments`)
    return null
  }
  const peeled = startPeeling(command, state)
  for (let count = 0; ; count++) {
    const base = baseOf(peeled.argv[0], reader)
    if (base === 'xargs' && count < MOST_WRAPPERS) {
      peelXargs(peeled, state)
      continue
    }
    const step = peeled.argv.length === 0 ? null : unwrap(base, peeled.argv)
    if (step === null && base !== 'xargs') break
    if (step === null || count >= MOST_WRAPPERS) {
      reader.unknown(`more than ${MOST_WRAPPERS} wrappers`)
      break
    }
    noteOwnWords(step, peeled)
    if (step.kind === 'command') peelCommand(step, base, peeled)
    else return readNested(step, base, peeled, command, state, reader)
  }
  return readPlain(peeled, command, state, reader)
}

function startPeeling(command: SimpleCommand, state: ShellState): Peeled {
  const { outer } = state
  const flags = new Set<Flag>(outer.flags)
  if (command.isBackground) flags.add('background')
  if (command.assignments.some(({ name }) => overridesBehaviour(name))) flags.add('env-override')
  return {
    argv: command.argv,
    levels: { argvs: [...outer.levels, command.argv.map(shown)], transparent: outer.transparent },
    wrappers: [...outer.wrappers],
    flags,
    ambiguity: null,
    fed: state.fed,
    isListed: state.fed !== null,
    extraReads: [],
  }
}

/** A wrapper's own words must be certain, or nobody knows where the command begins. */
function noteOwnWords(step: { own: readonly Word[]; flags: readonly Flag[] }, peeled: Peeled): void {
  for (const flag of step.flags) peeled.flags.add(flag)
  if (step.flags.includes('ambiguous')) addAmbiguity(peeled, 'ambiguous')
  if (step.own.some(word => word.kind !== 'static')) addAmbiguity(peeled, 'dynamic-word')
}

function peelCommand(step: Extract<Unwrapped, { kind: 'command' }>, base: string, peeled: Peeled): void {
  for (const { text } of step.assigned)
    if (overridesBehaviour(NAME_VALUE.exec(text)?.[0].replace(/\+?=$/, '') ?? '')) peeled.flags.add('env-override')
  pushLevel(peeled, base, step.inner, step.transparent)
}

function pushLevel(peeled: Peeled, wrapper: string, inner: Word[], transparent: boolean): void {
  peeled.wrappers.push(wrapper)
  peeled.argv = inner
  peeled.levels = { argvs: [...peeled.levels.argvs, inner.map(shown)], transparent: peeled.levels.transparent && transparent }
}

function peelXargs(peeled: Peeled, state: ShellState): void {
  const step = unwrapXargs(peeled.argv)
  const listing = state.stdin.kind === 'pipe' ? state.stdin.listing : null
  noteOwnWords(step, peeled)
  if (step.file) peeled.extraReads.push({ word: step.file, access: 'read' })
  peeled.isListed = listing !== null && step.file === undefined
  peeled.fed = peeled.isListed ? listing : []
  pushLevel(peeled, 'xargs', step.inner, false)
}

/** A shell: with a text of its own, with one that comes in, or with a script file. */
function readNested(
  step: Exclude<Unwrapped, { kind: 'command' }>,
  base: string,
  peeled: Peeled,
  command: SimpleCommand,
  state: ShellState,
  reader: Reader,
): Folders {
  const stdin = command.redirects.stdin ?? state.stdin
  const text =
    step.kind === 'script'
      ? step.text.kind === 'static'
        ? step.text.text
        : null
      : step.script === null && stdin.kind === 'text'
        ? stdin.text
        : null
  if (text === null) return readUnseen(step, peeled, command, state, reader)
  const first = reader.drafts.length
  const inside: ShellState = {
    ...state,
    via: step.kind === 'script' ? 'wrapper' : 'heredoc',
    depth: state.depth + 1,
    stdin: step.kind === 'script' ? stdin : { kind: 'none' },
    origin: command.range,
    outer: {
      wrappers: [...peeled.wrappers, base],
      levels: peeled.levels.argvs,
      transparent: peeled.levels.transparent && (step.kind === 'script' ? step.transparent : false),
      flags: [...peeled.flags],
    },
    fed: null,
  }
  const after = reader.readScript(text, inside)
  const draft = reader.drafts[first]
  if (draft === undefined) return readPlain(peeled, command, state, reader)
  attachRedirects(draft, command.redirects, state, reader)
  draft.secrets.push(...command.secrets)
  if (peeled.ambiguity) draft.ambiguity ??= peeled.ambiguity
  // Only eval runs in the shell itself.
  return base === 'eval' ? after : state.folders
}

/** A shell whose text is not in front of us. */
function readUnseen(
  step: Exclude<Unwrapped, { kind: 'command' }>,
  peeled: Peeled,
  command: SimpleCommand,
  state: ShellState,
  reader: Reader,
): Folders {
  const stdin = command.redirects.stdin ?? state.stdin
  addAmbiguity(peeled, step.kind === 'script' ? 'dynamic-word' : 'ambiguous')
  if (step.kind === 'script') for (const flag of reader.harmOf(step.text.text, state)) peeled.flags.add(flag)
  else if (step.script === null) for (const flag of flagsOfInput({ stdin })) peeled.flags.add(flag)
  if (command.bringsNetwork) peeled.flags.add('download-run')
  const paths: PathUse[] = step.kind === 'shell' && step.script ? [{ word: step.script, access: 'read' }] : []
  addSegment({ class: 'other', paths, knowsPaths: true, toleratesDynamic: true }, peeled, command, state, reader)
  return step.kind === 'script' ? null : state.folders
}

function readPlain(peeled: Peeled, command: SimpleCommand, state: ShellState, reader: Reader): Folders {
  const [program] = peeled.argv
  if (program === undefined) {
    addSegment({ class: 'read-only', knowsPaths: true }, peeled, command, state, reader)
    return state.folders
  }
  const globs = expandGlobs(peeled.argv.slice(1), state.folders, reader.facts)
  const call: Call = {
    name: trustedName(program),
    base: baseOf(program, reader),
    args: globs.words,
    folders: state.folders,
    start: reader.start,
    stdin: command.redirects.stdin ?? state.stdin,
    facts: reader.facts,
    isUndisturbed: reader.drafts.every(({ segment }) => segment.class === 'read-only'),
    fed: peeled.fed,
    harmOf: what => reader.harmOf(what, state),
  }
  const judgement = judge(call)
  if (judgement.unknown !== undefined) reader.unknown(judgement.unknown)
  if (globs.isUncertain && !judgement.toleratesDynamic) addAmbiguity(peeled, 'ambiguous')
  noteDynamicWords(call, judgement, peeled)
  addSegment(withFedPaths(judgement, call, peeled), peeled, command, state, reader)
  for (const inner of judgement.inner ?? []) readInner(inner, peeled, command, state, reader)
  return folderAfter(judgement, program, state, reader)
}

function noteDynamicWords(call: Call, judgement: Judgement, peeled: Peeled): void {
  const isFedWell = peeled.isListed && isFeedable(call.name) && judgement.class === 'read-only'
  const [program, ...words] = peeled.argv
  const isUncertain = (word: Word): boolean => word.kind === 'dynamic' && !judgement.toleratesDynamic && !(isFedWell && word.fed)
  if (program?.kind !== 'static' || words.some(isUncertain)) addAmbiguity(peeled, 'dynamic-word')
}

/** What a listing adds is somewhere below the listed folders. */
function withFedPaths(judgement: Judgement, call: Call, peeled: Peeled): Judgement {
  if (peeled.fed === null || peeled.fed.length === 0) return judgement
  const access = judgement.paths?.find(use => use.word.fed)?.access ?? 'read'
  const below = peeled.fed.map(({ word, partial }): PathUse => ({ word, access, recursive: true, ...(partial && { partial }) }))
  return isFeedable(call.name) && judgement.toleratesDynamic ? judgement : { ...judgement, paths: [...(judgement.paths ?? []), ...below] }
}

function readInner(
  inner: { argv: Word[]; fed: PathUse[] },
  peeled: Peeled,
  command: SimpleCommand,
  state: ShellState,
  reader: Reader,
): void {
  const outer = {
    wrappers: [...peeled.wrappers, 'find'],
    levels: peeled.levels.argvs,
    transparent: false,
    flags: [...peeled.flags].filter(flag => flag !== 'destructive'),
  }
  reader.readWords(inner.argv, { ...state, via: 'exec', outer, origin: command.range, fed: inner.fed, stdin: { kind: 'none' } })
}

function folderAfter(judgement: Judgement, program: Word, state: ShellState, reader: Reader): Folders {
  // Only the shell's own command moves the shell.
  if (judgement.movesTo === undefined || program.text.includes('/')) return state.folders
  return reader.isReassigned('CDPATH') ? null : judgement.movesTo(state.folders)
}
