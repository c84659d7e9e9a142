import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEdit } from '../../../src/text/edits/apply.ts'
import type { Match } from '../../../src/text/edits/types.ts'
import { block } from './cases.ts'

const numRuns = Number(process.env['QED_PROPERTY_RUNS'] ?? 2000)

const INDENTS = ['', '  ', '    ', '\t', '\t  ']
const indent = fc.constantFrom(...INDENTS)

/** A file in which no two lines are alike, and lines of it that become others with the same indentations. */
const scene = fc
  .record({
    indents: fc.array(indent, { minLength: 1, maxLength: 8 }),
    from: fc.nat(),
    count: fc.nat(),
    added: fc.array(fc.nat(), { maxLength: 5 }),
  })
  .map(({ indents, from, count, added }) => {
    const lines = indents.map((blanks, i) => `${blanks}say("w${i}")`)
    const start = from % lines.length
    const old = lines.slice(start, start + 1 + (count % (lines.length - start)))
    const fresh = added.map((pick, i) => `${/^\s*/.exec(old[pick % old.length]!)![0]}say("n${i}")`)
    return {
      original: `${lines.join('\n')}\n`,
      old,
      fresh,
      wanted: [...lines.slice(0, start), ...fresh, ...lines.slice(start + old.length)],
    }
  })

interface Form {
  /** The levels at which such a search may be found. */
  levels: Match[]
  search: (line: string) => string
  replace: (line: string) => string
  /** What the file's form makes of the wanted line. */
  file?: (line: string) => string
}

const remap = (line: string): string => {
  const blanks = /^\s*/.exec(line)![0]
  return ' '.repeat(INDENTS.indexOf(blanks)) + line.slice(blanks.length)
}
const same = (line: string): string => line
const curly = (line: string): string => line.replace(/"(.*)"/, '“$1”')

const FORMS: Record<string, Form> = {
  'blanks at the ends of lines': { levels: ['trailing'], search: line => `${line} \t`, replace: same },
  'all lines moved to the right': { levels: ['shift'], search: line => `   ${line}`, replace: line => `   ${line}` },
  'other indentations': { levels: ['exact', 'shift', 'map'], search: remap, replace: remap },
  'typographic quotes in the file': { levels: ['fold'], search: same, replace: same, file: curly },
}

describe('a search in another form finds the same lines', () => {
  test.each(Object.entries(FORMS))('E-24 %s', (_, { levels, search, replace, file = same }) => {
    fc.assert(
      fc.property(scene, ({ original, old, fresh, wanted }) => {
        const edit = block(old.map(search).join('\n'), fresh.map(replace).join('\n'))
        const outcome = applyEdit({ original: original.split('\n').map(file).join('\n'), edit })
        const told = outcome.kind === 'ok' ? outcome.value : undefined
        // Lines of the file keep their quotes, and new ones take them where the replaced text had some.
        expect(told?.content?.replace(/[“”]/g, '"')).toBe(wanted.map(line => `${line}\n`).join(''))
        expect(levels).toContain(told?.edits[0]?.match)
      }),
      { numRuns },
    )
  })

  test('E-24 two lines in the place of one are never guessed', () => {
    fc.assert(
      fc.property(scene, fc.constantFrom('', '  ', '\t'), ({ original, old }, blanks) => {
        const twice = original + original
        const edit = block(old.map(line => blanks + line).join('\n'), 'new')
        const outcome = applyEdit({ original: twice, edit })
        expect(outcome).toMatchObject({ kind: 'refused' })
      }),
      { numRuns },
    )
  })
})
