import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'
import { ALPHABET, type Id, type IdPrefix, RANDOM_LENGTH, TIME_LENGTH } from './ids.ts'

let lastTime = -1
let lastRandom: number[] = []

/** `<prefix>_<ULID>`: sorts by time, and within one process strictly by the order of making, even when the clock stands
 *  still or goes back. */
export function newId<P extends IdPrefix>(prefix: P, clock: Clock): Id<P> {
  const time = Math.max(clock.now(), lastTime)
  lastRandom = time === lastTime ? successor(lastRandom) : freshRandom()
  lastTime = time
  return `${prefix}_${encodeTime(time)}${lastRandom.map(digit => ALPHABET[digit]).join('')}` as Id<P>
}

function encodeTime(time: number): string {
  let rest = time
  let text = ''
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

// The first digit stays below 16, so that counting up within one millisecond never overflows.
function freshRandom(): number[] {
  const digits = Array.from(randomBytes(RANDOM_LENGTH), byte => byte % 32)
  digits[0] = (digits[0] ?? 0) % 16
  return digits
}

function successor(digits: number[]): number[] {
  const next = [...digits]
  for (let i = next.length - 1; i >= 0; i--) {
    const digit = (next[i] ?? 0) + 1
    next[i] = digit % 32
    if (digit < 32) break
  }
  return next
}
