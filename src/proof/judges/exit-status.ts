import { type Outline, type OutlineWord, partsOfOutline } from '../../policy/shell/index.ts'
import { constantStatus, isLook, passesOn, programName } from './constant-commands.ts'

// What a shell text exits with, if it is said which of its programs fail. Nothing is run: programs are decided by the caller,
// constants are known, and lists, options and ends are followed as the shell does.

export interface ShellOptions {
  errexit: boolean
  pipefail: boolean
}

export interface World {
  fails(command: Outline): boolean
  /** How tests and look-ups end, which often only choose the way. */
  looksSucceed: boolean
  /** Lenient where nothing is said to be wrong: a failure before a `;`, a `||` or a pipe counts as long as what follows judges. */
  lenient: boolean
}

interface Shell {
  options: ShellOptions
  /** Of the last command. */
  status: number
  ended: boolean
  /** Values that are certain; null where a value is not. */
  variables: Map<string, string | null>
}

export function exitStatus(outline: Outline, options: ShellOptions, world: World): number {
  return new Simulation(world).start(outline, options)
}

class Simulation {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  start(outline: Outline, options: ShellOptions): number {
    const shell: Shell = { options: { ...options }, status: 0, ended: false, variables: new Map() }
    return this.#run(outline, shell, false)
  }

  /** `watched`: something looks at the status, so `set -e` does not act. */
  #run(outline: Outline, shell: Shell, watched: boolean): number {
    const status = this.#statusOf(outline, shell, watched)
    shell.status = status
    if (status !== 0 && shell.options.errexit && !watched && ENDS_SHELL.has(outline.kind)) shell.ended = true
    return status
  }

  #statusOf(outline: Outline, shell: Shell, watched: boolean): number {
    switch (outline.kind) {
      case 'unknown':
        return 1
      case 'command':
        return this.#command(outline, shell)
      case 'assignment':
        return this.#assignment(outline, shell)
      case 'shell':
        if (outline.options.length === 0) return this.#run(outline.body, shell, watched)
        return this.start(outline.body, optionsFrom(outline.options, { errexit: false, pipefail: false }))
      case 'list':
        return this.#list(outline.items, shell, watched)
      case 'and-or':
        return this.#andOr(outline, shell, watched)
      case 'pipe':
        return this.#pipe(outline.items, shell, watched)
      case 'not':
        return inShell(shell, this.#run(outline.body, shell, true), status => (status === 0 ? 1 : 0))
      case 'subshell':
        return this.#run(outline.body, copyOf(shell), watched)
      case 'if':
        return this.#if(outline.branches, outline.otherwise, shell, watched)
      case 'loop':
        return this.#loop(outline, shell, watched)
      case 'case':
        return this.#case(outline.branches, shell, watched)
    }
  }

  #command(outline: Extract<Outline, { kind: 'command' }>, shell: Shell): number {
    const [program, ...words] = outline.argv
    const name = programName(program)
    if (name === 'set') {
      shell.options = optionsFrom(['set', ...words.map(word => word.text)], shell.options)
      return 0
    }
    if (name === 'exit') return exit(words[0], shell)
    const constant = name === null ? null : constantStatus(name, words)
    if (constant !== null) return constant
    if (name !== null && isLook(name)) return this.#world.looksSucceed ? 0 : 1
    return this.#world.fails(outline) ? 1 : 0
  }

  #assignment({ values, scripts }: Extract<Outline, { kind: 'assignment' }>, shell: Shell): number {
    for (const { name, value } of values)
      shell.variables.set(name, value === '$?' ? String(shell.status) : /^\d+$/.test(value) ? value : null)
    // A substitution does not inherit `set -e`.
    const inner = scripts.map(script => {
      const copy = copyOf(shell)
      copy.options.errexit = false
      return this.#run(script, copy, false)
    })
    return inner.at(-1) ?? 0
  }

  #list(items: Extract<Outline, { kind: 'list' }>['items'], shell: Shell, watched: boolean): number {
    let status = 0
    for (const { body, background } of items) {
      const now = background ? 0 : this.#run(body, shell, watched)
      status = now === 0 && status !== 0 && this.#world.lenient && !background && judges(body) ? status : now
      shell.status = status
      if (shell.ended) break
    }
    return status
  }

  #andOr({ first, rest }: Extract<Outline, { kind: 'and-or' }>, shell: Shell, watched: boolean): number {
    let status = this.#run(first, shell, watched || rest.length > 0)
    for (const [i, { operator, body }] of rest.entries()) {
      if (shell.ended) return status
      if ((operator === '&&') !== (status === 0)) continue
      const now = this.#run(body, shell, watched || i < rest.length - 1)
      status = operator === '||' && now === 0 && this.#world.lenient && judges(body) ? status : now
      shell.status = status
    }
    return status
  }

  #pipe(items: readonly Outline[], shell: Shell, watched: boolean): number {
    const statuses = items.map((item, i) =>
      i > 0 && item.kind === 'command' && passesOn(item.argv[0]) ? 0 : this.#run(item, copyOf(shell), watched),
    )
    const last = statuses.at(-1) ?? 0
    const failed = statuses.findLast(status => status !== 0) ?? 0
    const end = items.at(-1)
    const isLenient = this.#world.lenient && end !== undefined && judges(end) && !(end.kind === 'command' && passesOn(end.argv[0]))
    return shell.options.pipefail || isLenient ? failed : last
  }

  #if(branches: readonly { condition: Outline; body: Outline }[], otherwise: Outline | null, shell: Shell, watched: boolean): number {
    for (const { condition, body } of branches) {
      const status = this.#run(condition, shell, true)
      if (shell.ended) return status
      if (status === 0) return this.#run(body, shell, watched)
    }
    return otherwise ? this.#run(otherwise, shell, watched) : 0
  }

  /** Two rounds, because the first may set options; how often the condition holds is not known. */
  #loop({ condition, body }: Extract<Outline, { kind: 'loop' }>, shell: Shell, watched: boolean): number {
    let status = 0
    for (let round = 0; round < 2; round++) {
      const checked = condition ? this.#run(condition, shell, true) : 0
      if (shell.ended) return checked
      status = this.#run(body, shell, watched)
      if (shell.ended) return status
    }
    return status
  }

  /** Which branch is taken is not known; one that fails is. */
  #case(branches: readonly Outline[], shell: Shell, watched: boolean): number {
    for (const branch of branches) {
      const copy = copyOf(shell)
      const status = this.#run(branch, copy, watched)
      if (status === 0) continue
      shell.ended = copy.ended
      return status
    }
    return 0
  }
}

/** What `set -e` looks at; compound commands end the shell from inside. */
const ENDS_SHELL: ReadonlySet<Outline['kind']> = new Set(['unknown', 'command', 'assignment', 'shell', 'pipe', 'subshell'])

/** An end inside a negation ends with its own status. */
function inShell(shell: Shell, status: number, otherwise: (status: number) => number): number {
  return shell.ended ? status : otherwise(status)
}

function copyOf(shell: Shell): Shell {
  return { ...shell, options: { ...shell.options }, variables: new Map(shell.variables) }
}

function exit(code: OutlineWord | undefined, shell: Shell): number {
  shell.ended = true
  if (code === undefined || code.text === '$?') return shell.status
  const name = /^\$\{?(\w+)\}?$/.exec(code.text)?.[1]
  const value = code.static ? code.text : name === undefined ? null : (shell.variables.get(name) ?? null)
  // A code that is only known when it runs is taken for the failure that it should carry.
  return value !== null && /^\d+$/.test(value) ? Number(value) % 256 : 1
}

function optionsFrom(words: readonly string[], before: ShellOptions): ShellOptions {
  const options = { ...before }
  for (const [i, word] of words.entries()) {
    const sign = /^([-+])([A-Za-z]+)$/.exec(word)
    if (sign === null) continue
    const isOn = sign[1] === '-'
    const letters = sign[2] ?? ''
    const named = letters.includes('o') ? words[i + 1] : undefined
    if (letters.includes('e') || named === 'errexit') options.errexit = isOn
    if (named === 'pipefail') options.pipefail = isOn
  }
  return options
}

const known = new WeakMap<Outline, boolean>()

/** Whether a program that can fail because of the work is part of it. */
export function judges(outline: Outline): boolean {
  let found = known.get(outline)
  if (found === undefined) {
    found = outline.kind === 'unknown' || isProgram(outline) || partsOfOutline(outline).some(judges)
    known.set(outline, found)
  }
  return found
}

export function isProgram(outline: Outline): outline is Extract<Outline, { kind: 'command' }> {
  if (outline.kind !== 'command') return false
  const [program, ...words] = outline.argv
  const name = programName(program)
  return name === null || (name !== 'set' && name !== 'exit' && constantStatus(name, words) === null)
}
