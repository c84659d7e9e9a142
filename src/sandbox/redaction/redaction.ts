import { createRedactor } from '../../policy/secrets/stream.ts'
import type { KnownValues } from '../vault/known-values.ts'
import { chained, type Redaction } from './text-redactor.ts'
import { redactValues, withoutValues } from './value-redactor.ts'

export interface RedactionOptions {
  /** Takes out what looks like a secret by its shape. Pure; the same text again gives the same text. */
  byShape: (text: string) => string
  /** Values of the vault, whoever prints them. */
  values?: Pick<KnownValues, 'known' | 'load'>
  /** Values that are never to be seen; told by `onCanary` when one is. */
  canaries?: () => readonly string[]
  onCanary?: () => void
}

export function createRedaction({ byShape, values: vault, canaries = () => [], onCanary }: RedactionOptions): Redaction {
  const listed = sameList()
  const lookFor = (values: readonly string[], onSeen?: () => void) => {
    const baits = canaries()
    const found = (value: string): void => {
      if (!baits.includes(value)) return
      onCanary?.()
      onSeen?.()
    }
    return { all: listed([...values, ...(vault?.known() ?? []), ...baits]), found }
  }
  return {
    ready: async () => vault?.load(),
    open: (values, onSeen) => {
      const { all, found } = lookFor(values, onSeen)
      return chained(redactValues(all, found), createRedactor(byShape))
    },
    text: (text, values = []) => {
      const { all, found } = lookFor(values)
      return byShape(withoutValues(text, all, found))
    },
  }
}

/** Gives the list of before where it has the same members, so that what was made ready for it can be used again. */
function sameList(): (values: readonly string[]) => readonly string[] {
  let last: readonly string[] = []
  return values => {
    const once = [...new Set(values)]
    if (once.length !== last.length || once.some((value, i) => value !== last[i])) last = once
    return last
  }
}
