import { isAbsolute, normalize } from 'node:path'
import { isInside } from '../paths.ts'

/** A further variable: taken over from QED's own environment, or set. */
export type ExtraVariable = { name: string; value: string } | { name: string; inherit: true }

export interface EnvironmentFacts {
  /** QED's own environment; only PATH and what `extra` names are looked at. */
  own: Readonly<Record<string, string | undefined>>
  home: string
  tmp: string
  run: string
  mark: string
  scratch?: string | undefined
  /** Folders that the process can write: no program is looked for in them. */
  writable: readonly string[]
  /** Folders that hold the work itself: looked at after everything else. */
  roots: readonly string[]
  extra?: readonly ExtraVariable[]
}

const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

const FIXED = {
  USER: 'qed',
  SHELL: '/bin/sh',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  TERM: 'dumb',
  NO_COLOR: '1',
  CI: 'true',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
} as const

/** Names that hold a credential. */
const CREDENTIAL = /secret|passw|passphrase|credential|(api|access|private)_?key|(^|_)(token|pat)(_|$)/i

/** Names that change how programs load or run: they may be set, not taken over. */
const STEERING = new RegExp(
  `^(${[
    'PATH IFS ENV BASH_ENV PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS HOME XDG_CONFIG_HOME PAGER EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE',
    'CLASSPATH MAKEFLAGS TAR_OPTIONS RIPGREP_CONFIG_PATH NODE_OPTIONS JAVA_TOOL_OPTIONS _JAVA_OPTIONS',
    'LD_.* DYLD_.* GIT_.* PYTHON.* PERL5.* RUBY.* npm_config_.* .*_ASKPASS .*_PROXY .*_proxy',
  ]
    .join(' ')
    .replaceAll(' ', '|')})$`,
)

/** The environment of a process, from nothing. Names that `extra` may not carry are left out. */
export function buildEnvironment(facts: EnvironmentFacts): Record<string, string> {
  const { home, tmp, run, mark, scratch, own, extra = [] } = facts
  return {
    ...FIXED,
    PATH: pathFor(own['PATH'] ?? '', facts),
    HOME: home,
    TMPDIR: tmp,
    QED_RUN: run,
    ...(scratch !== undefined && { QED_SCRATCH: scratch }),
    ...Object.fromEntries(extra.flatMap(variable => taken(variable, own))),
    // Last: nothing that was asked for may take its place.
    QED_MARK: mark,
  }
}

function looksLikeCredential(name: string): boolean {
  return CREDENTIAL.test(name)
}

function steersPrograms(name: string): boolean {
  return STEERING.test(name)
}

/** `NAME` takes a variable over, `NAME=value` sets it: how settings and command lines write it. */
export function parseExtra(text: string): ExtraVariable {
  const at = text.indexOf('=')
  return at < 0 ? { name: text, inherit: true } : { name: text.slice(0, at), value: text.slice(at + 1) }
}

/** What a process may be given of these besides, as `parseExtra` reads them; names that no process may take over are left out. */
export function extraValues(extra: readonly string[], own: EnvironmentFacts['own']): Record<string, string> {
  return Object.fromEntries(extra.map(parseExtra).flatMap(variable => taken(variable, own)))
}

function taken(variable: ExtraVariable, own: EnvironmentFacts['own']): [string, string][] {
  const { name } = variable
  if ('value' in variable) return [[name, variable.value]]
  const value = own[name]
  return value === undefined || looksLikeCredential(name) || steersPrograms(name) ? [] : [[name, value]]
}

// The person's order is kept, so that the tools they chose are found; but a folder of the work itself comes last, and one that
// the process can write not at all.
function pathFor(path: string, { writable, roots }: Pick<EnvironmentFacts, 'writable' | 'roots'>): string {
  const folders = [...path.split(':').filter(isAbsolute).map(trimmed), ...SYSTEM_PATH]
  const safe = [...new Set(folders)].filter(folder => !writable.some(root => isInside(root, folder)))
  const inWork = (folder: string): boolean => roots.some(root => isInside(root, folder))
  return [...safe.filter(folder => !inWork(folder)), ...safe.filter(inWork)].join(':')
}

function trimmed(folder: string): string {
  const plain = normalize(folder)
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain
}
