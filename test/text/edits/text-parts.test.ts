import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineStart } from '../../../src/text/edits/lines.ts'
import { TextParts } from '../../../src/text/edits/text-parts.ts'

const numRuns = Number(process.env['QED_PROPERTY_RUNS'] ?? 2000)
const text = fc.array(fc.constantFrom('a', 'b', 'ab', '\n', '\r\n', 'a\n'), { maxLength: 30 }).map(parts => parts.join(''))

/** All places from an offset on, overlapping ones too. */
const placesOf = (whole: string, needle: string, from: number): number[] =>
  Array.from(whole, (_, at) => at).filter(at => at >= from && whole.startsWith(needle, at))

describe('a text in parts', () => {
  test('E-31 finds and changes what the whole text would, however it is parted', () => {
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 1, max: 6 }), fc.nat(20), (whole, needle, fresh, size, from) => {
        fc.pre(needle !== '')
        const parts = new TextParts(whole, size)
        const places = placesOf(whole, needle, from)
        const at = parts.onlyPlace(needle, from)
        expect(at).toBe(places.length === 1 ? places[0] : undefined)
        if (at === undefined) return true
        const start = lineStart(whole, at)
        const end = whole.indexOf('\n', at + needle.length) + 1
        const lines = parts.linesAround(at, at + needle.length)
        const line = whole.slice(0, start).split('\n').length
        expect(lines).toEqual(end === 0 ? undefined : { start, end, text: whole.slice(start, end), line })
        if (lines) parts.replace(lines, fresh)
        expect(parts.toString()).toBe(lines ? whole.slice(0, start) + fresh + whole.slice(end) : whole)
        return true
      }),
      { numRuns },
    )
  })

  test('E-31 is asked again after a change', () => {
    const parts = new TextParts('a\nb\nc\nd\n', 2)
    const change = (old: string, fresh: string): number | undefined => {
      const at = parts.onlyPlace(old, 0)
      const lines = at === undefined ? undefined : parts.linesAround(at, at + old.length)
      if (lines) parts.replace(lines, fresh)
      return lines?.line
    }
    expect([change('b', 'x\ny\n'), change('d', 'e\n'), change('y\nc', ''), change('y', 'z\n')]).toEqual([2, 5, 3, undefined])
    expect(parts.toString()).toBe('a\nx\ne\n')
  })
})
