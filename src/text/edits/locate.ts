import { LEVELS, type Place, type Search } from './levels.ts'
import { SHOWN } from './limits.ts'
import type { TextView } from './text-view.ts'
import type { Match } from './types.ts'

/** Which of several exact places is meant. */
export type Choice = { kind: 'only' } | { kind: 'first' } | { kind: 'line'; line: number }

export type Located =
  | { kind: 'none' }
  | { kind: 'one'; level: Match; place: Place }
  | { kind: 'many'; level: Match; count: number; places: Place[] }

/** The one place that is meant, at the first level that finds any. */
export function locate(view: TextView, search: Search, choice: Choice): Located {
  for (const level of LEVELS) {
    search.deadline.check()
    const free = level.name === 'exact' ? choice : ({ kind: 'only' } as const)
    const wanted = free.kind === 'line' ? offsetOfLine(view, free.line) : -1
    let count = 0
    const places: Place[] = []
    let chosen: Place | undefined
    level.visit(view, search, place => {
      if ((++count & 0xffff) === 0) search.deadline.check()
      if (places.length < SHOWN.places) places.push(place)
      if (free.kind === 'first' || place.offset === wanted) chosen = place
      return free.kind !== 'first'
    })
    const place = count === 1 ? places[0] : chosen
    if (place) return { kind: 'one', level: level.name, place }
    if (count > 1) return { kind: 'many', level: level.name, count, places }
  }
  return { kind: 'none' }
}

// Without the list of lines, which an exact match does not need.
function offsetOfLine({ text }: TextView, line: number): number {
  let offset = 0
  for (let i = 1; i < line; i++) {
    const end = text.indexOf('\n', offset)
    if (end < 0) return -1
    offset = end + 1
  }
  return offset
}
