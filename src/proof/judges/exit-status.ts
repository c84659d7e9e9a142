import type { Outline, OutlineWord } from '../../policy/shell/index.ts'
import { constantStatus, swallowingFlag } from './constant-commands.ts'

/** What the exit status of a shell text says.
 *  `zero`, `nonzero`: always that. `real`: a program that can judge decides. `inverted`: its failure is success. */
type StatusKind = 'zero' | 'nonzero' | 'real' | 'inverted'

export interface ExitReading {
  kind: StatusKind
  /** A program that can judge is named anywhere in it. */
  judges: boolean
  /** Forms that hide a failure, in the order in which they stand. */
  hiding: string[]
  /** Why nothing can be said, or null. */
  unknown: string | null
}

interface ShellOptions {
  errexit: boolean
  pipefail: boolean
}

interface Outcome {
  kind: StatusKind
  /** The shell is over after it, whatever came before. */
  ends?: boolean
  /** A failure of what judges ends the shell as a failure. */
  guards?: boolean
  /** Leaves the status as it was (`exit` alone). */
  keeps?: boolean
}

const ZERO: Outcome = { kind: 'zero' }

/** Reads what the status of a whole text depends on. Options are those that the text starts under. */
export function readExit(outline: Outline, options: ShellOptions): ExitReading {
  const reader = new ExitReader({ ...options })
  const { kind, guards } = reader.read(outline)
  return { kind: guards === true && kind === 'zero' ? 'real' : kind, judges: reader.judges, hiding: reader.hiding, unknown: reader.unknown }
}

class ExitReader {
  judges = false
  hiding: string[] = []
  unknown: string | null = null
  #options: ShellOptions

  constructor(options: ShellOptions) {
    this.#options = options
  }

  read(outline: Outline): Outcome {
    switch (outline.kind) {
      case 'unknown':
        this.unknown ??= outline.why
        return { kind: 'real' }
      case 'command':
        return this.#command(outline.argv, outline.scripts)
      case 'assignment':
        return closed(outline.scripts.map(script => this.#inner(script)).at(-1) ?? ZERO)
      case 'shell':
        return this.#shell(outline.options, outline.body)
      case 'list':
        return this.#list(outline.items)
      case 'and-or':
        return this.#andOr(outline)
      case 'pipe':
        return this.#pipe(outline.items)
      case 'not':
        return { kind: INVERSE[this.#conditional(outline.body).kind] }
      case 'subshell':
        return closed(this.#inner(outline.body))
      case 'if':
        return this.#if(outline.branches, outline.otherwise)
      case 'loop':
        return this.#loop(outline.condition, outline.body)
      case 'case':
        for (const script of outline.scripts) this.#inner(script)
        return eitherOf(outline.branches.map(branch => this.read(branch)))
    }
  }

  /** A subshell: what it sets does not last. */
  #inner(body: Outline, options: ShellOptions = this.#options): Outcome {
    const outer = this.#options
    this.#options = { ...options }
    const outcome = this.read(body)
    this.#options = outer
    return outcome
  }

  /** Where a failure is looked at, `set -e` does not act. */
  #conditional(body: Outline): Outcome {
    return this.#inner(body, { ...this.#options, errexit: false })
  }

  #shell(words: string[], body: Outline): Outcome {
    const set = { errexit: false, pipefail: false }
    applyOptions(words, set)
    return closed(this.#inner(body, set))
  }

  #command(argv: readonly OutlineWord[], scripts: readonly Outline[]): Outcome {
    for (const script of scripts) this.#inner(script)
    const [program, ...words] = argv
    const name = programName(program)
    if (name === null) {
      this.unknown ??= `${program?.text ?? ''}: which program this is, is only known when it runs`
      return { kind: 'real' }
    }
    if (name === 'set') return this.#set(words)
    if (name === 'exit' || name === 'return') return exitOutcome(words)
    if (name === 'trap' && words[0] && endsWell(words[0].text)) this.hiding.push(`trap '${words[0].text}'`)
    const constant = constantStatus(name, words)
    if (constant !== null) return { kind: constant }
    const flag = swallowingFlag(name, words)
    if (flag !== null) this.hiding.push(flag)
    this.judges = true
    return { kind: 'real', guards: this.#options.errexit }
  }

  #set(words: readonly OutlineWord[]): Outcome {
    const texts = words.map(word => word.text)
    applyOptions(['set', ...texts], this.#options)
    const turnsOff = texts.some((text, i) => /^\+[a-z]*e/.test(text) || (text === '+o' && texts[i + 1] === 'errexit'))
    if (turnsOff) this.hiding.push(`set ${texts.join(' ')}`)
    return ZERO
  }

  #list(items: readonly { body: Outline; background: boolean }[]): Outcome {
    let last: Outcome = ZERO
    let guards = false
    for (const { body, background } of items) {
      if (background) {
        this.#inner(body)
        last = ZERO
        continue
      }
      const outcome = this.read(body)
      if (outcome.keeps !== true) last = outcome
      if (outcome.guards === true) guards = true
      if (outcome.ends === true) return { kind: guards && last.kind === 'zero' ? 'real' : last.kind, guards, ends: true }
    }
    return { kind: last.kind, guards }
  }

  #andOr({ first, rest }: Extract<Outline, { kind: 'and-or' }>): Outcome {
    // Only the last command of such a list is under `set -e`.
    let left = rest.length === 0 ? this.read(first) : this.#sharing(first)
    rest.forEach(({ operator, body }, i) => {
      const judgedBefore = left.kind === 'real' || left.kind === 'inverted'
      const right = i === rest.length - 1 ? this.read(body) : this.#sharing(body)
      if (operator === '||' && judgedBefore && right.kind === 'zero' && right.keeps !== true && right.guards !== true)
        this.hiding.push('|| before a command that always succeeds')
      left = operator === '&&' ? both(left, right) : orElse(left, right)
    })
    return left
  }

  /** Reads a command that may set options for those behind it, itself not under `set -e`. */
  #sharing(body: Outline): Outcome {
    const errexit = this.#options.errexit
    this.#options.errexit = false
    const outcome = this.read(body)
    this.#options.errexit ||= errexit
    return outcome
  }

  #pipe(items: readonly Outline[]): Outcome {
    const outcomes = items.map(item => this.#inner(item))
    const last = outcomes.at(-1) ?? ZERO
    const judging = outcomes.filter(outcome => outcome.kind === 'real')
    if (this.#options.pipefail) {
      if (judging.length > 0) return { kind: 'real', guards: this.#options.errexit }
      return outcomes.some(outcome => outcome.kind === 'nonzero') ? { kind: 'nonzero' } : { kind: last.kind }
    }
    const end = items.at(-1)
    if (judging.length > 1 && last.kind === 'real' && end?.kind === 'command' && PASSES_ON.has(programName(end.argv[0]) ?? ''))
      this.hiding.push(`a pipe into ${end.argv[0]?.text ?? ''} without pipefail`)
    return { kind: last.kind, guards: last.kind === 'real' && this.#options.errexit }
  }

  #if(branches: readonly { condition: Outline; body: Outline }[], otherwise: Outline | null): Outcome {
    const [branch, ...more] = branches
    if (branch === undefined) return otherwise ? this.read(otherwise) : ZERO
    const condition = this.#conditional(branch.condition)
    const then = this.read(branch.body)
    const rest = this.#if(more, otherwise)
    if (condition.kind === 'zero') return then
    if (condition.kind === 'nonzero') return rest
    return eitherOf([then, rest])
  }

  #loop(condition: Outline | null, body: Outline): Outcome {
    if (condition) this.#conditional(condition)
    const { kind, guards } = this.read(body)
    return { kind: kind === 'nonzero' ? 'zero' : kind, guards: guards === true }
  }
}

const INVERSE: Record<StatusKind, StatusKind> = { zero: 'nonzero', nonzero: 'zero', real: 'inverted', inverted: 'real' }

/** Programs that hand on what they read and succeed whatever it says. */
const PASSES_ON: ReadonlySet<string> = new Set('tee cat head tail less more sort uniq cut tr sed awk wc nl column ts'.split(' '))

/** Outside a subshell or another shell an end is only a status. */
function closed({ kind, guards }: Outcome): Outcome {
  return { kind: guards === true && kind === 'zero' ? 'real' : kind }
}

function both(left: Outcome, right: Outcome): Outcome {
  if (left.kind === 'zero') return { ...right, guards: left.guards === true || right.guards === true }
  if (left.kind === 'nonzero' || right.kind === 'nonzero') return { kind: 'nonzero' }
  const kind = left.kind === 'real' || right.kind === 'real' ? 'real' : 'inverted'
  return { kind, guards: right.guards === true }
}

function orElse(left: Outcome, right: Outcome): Outcome {
  if (left.kind === 'zero') return left
  if (left.kind === 'nonzero') return right
  if (right.kind === 'nonzero') return { kind: left.kind, guards: left.kind === 'real' && right.ends === true }
  if (right.kind === 'zero') return { kind: right.guards === true ? 'real' : 'zero', guards: right.guards === true }
  // Where either one is turned round, a failure of both is success.
  return { kind: left.kind === 'real' && right.kind === 'real' ? 'real' : 'inverted', guards: right.guards === true }
}

/** One of several, by what only shows when it runs: where they end differently, that is what decides. */
function eitherOf(outcomes: readonly Outcome[]): Outcome {
  const kinds = new Set(outcomes.map(outcome => outcome.kind))
  const decides = kinds.has('real') || (kinds.has('nonzero') && kinds.size > 1)
  const [only = 'zero'] = kinds
  return {
    kind: decides ? 'real' : kinds.has('inverted') ? 'inverted' : only,
    guards: outcomes.some(({ guards, kind, ends }) => guards === true || (kind === 'nonzero' && ends === true)),
  }
}

function exitOutcome(words: readonly OutlineWord[]): Outcome {
  const [code] = words
  if (code === undefined) return { kind: 'zero', ends: true, keeps: true }
  if (!code.static || !/^\d+$/.test(code.text)) return { kind: 'real', ends: true }
  return { kind: Number(code.text) % 256 === 0 ? 'zero' : 'nonzero', ends: true }
}

function endsWell(handler: string): boolean {
  return /(?:^|[\s;&|{(])exit\s+0\s*(?:$|[;&|})])/.test(handler)
}

function programName(word: OutlineWord | undefined): string | null {
  if (word === undefined) return null
  const tail = word.text.slice(word.text.lastIndexOf('/') + 1)
  return word.static || (word.text.includes('/') && /^[\w.-]+$/.test(tail)) ? tail : null
}

function applyOptions(words: readonly string[], options: ShellOptions): void {
  for (const [i, word] of words.entries()) {
    const sign = /^([-+])([A-Za-z]+)$/.exec(word)
    if (sign === null) continue
    const on = sign[1] === '-'
    const letters = sign[2] ?? ''
    if (letters.includes('e')) options.errexit = on
    const named = letters.includes('o') ? words[i + 1] : undefined
    if (named === 'errexit') options.errexit = on
    if (named === 'pipefail') options.pipefail = on
  }
}
