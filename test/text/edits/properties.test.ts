import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEdit } from '../../../src/text/edits/apply.ts'
import { planEdits } from '../../../src/text/edits/plan.ts'
import { splitReply } from '../../../src/text/edits/split.ts'
import { type EditInput, ERROR_CODES, FORMATS } from '../../../src/text/edits/types.ts'
import * as render from './render.ts'

const numRuns = Number(process.env['QED_PROPERTY_RUNS'] ?? 2000)

// Lines that look like marks, that repeat, and that differ only in what a level ignores.
const LINES = [
  'a',
  'b',
  'c',
  '  a',
  '\ta',
  'a  ',
  '',
  ' ',
  '- x',
  '+ y',
  '-- z',
  '@@ e',
  '*** f',
  '=======',
  '<<<<<<< SEARCH',
  '>>>>>>> REPLACE',
  'x = "1"',
  '“q” – é😀',
  "$& $1 $$ $' \\n",
  '1 | a',
  '// note',
  '</old_text2>',
  '{',
  '}',
]
const line = fc.constantFrom(...LINES)
const lines = fc.array(line, { maxLength: 9 })

interface File {
  lines: string[]
  /** One line end for each line. */
  ends: string[]
  bom: boolean
  finalBreak: boolean
}

function fileOf(kind: 'alike' | 'mixed'): fc.Arbitrary<File> {
  const ends = fc.infiniteStream(fc.constantFrom('\n', '\r\n'))
  return fc
    .record({ lines, ends, bom: fc.boolean(), finalBreak: fc.boolean() })
    .map(({ lines, ends, ...rest }) => ({ lines, ends: takeEnds(ends, lines.length, kind), ...rest }))
}

function takeEnds(stream: Iterator<string>, count: number, kind: 'alike' | 'mixed'): string[] {
  const first = String(stream.next().value)
  return Array.from({ length: count }, () => (kind === 'alike' ? first : String(stream.next().value)))
}

function textOf({ lines, ends, bom, finalBreak }: File, fresh: readonly string[] = lines, end?: string): string {
  const body = fresh.map((text, i) => text + (i < fresh.length - 1 || finalBreak ? (end ?? ends[i] ?? '\n') : '')).join('')
  return (bom ? '\uFEFF' : '') + body
}

/** How new lines end in a file whose line ends are all alike. */
function endOf({ lines, ends, finalBreak }: File): string {
  return lines.length > (finalBreak ? 0 : 1) ? (ends[0] ?? '\n') : '\n'
}

const fold = (text: string): string => text.replaceAll('\r\n', '\n')

/** A last empty line without a line break is no line. */
const isTrue = (lines: readonly string[], finalBreak: boolean): boolean => finalBreak || lines.at(-1) !== ''

/** The new content; `undefined` for a refusal that is always allowed, since what is meant was not the only place. */
function applied(input: EditInput): string | null | undefined {
  const outcome = applyEdit(input)
  if (outcome.kind === 'ok') return outcome.value.content
  if (outcome.error.code === 'ambiguous') return undefined
  throw new Error(`${outcome.error.code}: ${outcome.error.message}\n${JSON.stringify(input)}`)
}

const change = fc.record({ fresh: lines, context: fc.constantFrom(1, 2, 9) })

const LINE_FORMATS: Record<string, (hunks: render.Hunk[]) => string> = {
  search_replace: render.asBlocks,
  'udiff with numbers': hunks => render.asDiff(hunks, true),
  'udiff without numbers': hunks => render.asDiff(hunks, false),
  apply_patch: render.asPatch,
}

const TEXT_FORMATS: Record<string, (pair: render.TextPair) => EditInput['edit']> = {
  json: render.asObject,
  xml: render.asElements,
  attributes: render.asAttributes,
  'an object': pair => pair,
  sed: render.asSed,
}

describe('a rendered difference gives back the wanted file', () => {
  test.each(Object.entries(LINE_FORMATS))('E-31 %s, all line ends alike', (_, asEdit) => {
    fc.assert(
      fc.property(fileOf('alike'), change, (file, { fresh, context }) => {
        fc.pre(file.lines.length > 0 && fresh.length > 0 && isTrue(file.lines, file.finalBreak) && isTrue(fresh, file.finalBreak))
        const hunks = render.hunksOf(render.diffLines(file.lines, fresh), context)
        fc.pre(hunks.length > 0 && hunks.every(hunk => render.oldOf(hunk).length > 0))
        // A hunk that ends with empty context, or whose marks are part of a hint, is read otherwise by design.
        fc.pre(hunks.every(({ lines }) => lines.at(-1)?.text !== '' || lines.at(-1)?.kind !== ' '))
        const content = applied({ original: textOf(file), edit: asEdit(hunks) })
        expect([undefined, textOf(file, fresh, endOf(file))]).toContain(content)
      }),
      { numRuns },
    )
  })

  test.each(Object.entries(LINE_FORMATS))('E-31 %s, mixed line ends: kept lines keep their bytes', (_, asEdit) => {
    fc.assert(
      fc.property(fileOf('mixed'), change, (file, { fresh, context }) => {
        fc.pre(file.lines.length > 0 && fresh.length > 0 && isTrue(file.lines, file.finalBreak) && isTrue(fresh, file.finalBreak))
        const diff = render.diffLines(file.lines, fresh)
        const hunks = render.hunksOf(diff, context)
        fc.pre(hunks.length > 0 && hunks.every(hunk => render.oldOf(hunk).length > 0))
        fc.pre(hunks.every(({ lines }) => lines.at(-1)?.text !== '' || lines.at(-1)?.kind !== ' '))
        const original = textOf(file)
        const content = applied({ original, edit: asEdit(hunks) })
        fc.pre(typeof content === 'string')
        expect(fold(content)).toBe(fold(textOf(file, fresh)))
        const first = diff.findIndex(({ kind }) => kind !== ' ')
        const head =
          (file.bom ? '\uFEFF' : '') +
          file.lines
            .slice(0, Math.max(0, first - 1))
            .map((text, i) => text + file.ends[i])
            .join('')
        expect(content.startsWith(head)).toBe(true)
      }),
      { numRuns },
    )
  })

  test.each(Object.entries(TEXT_FORMATS))('E-31 %s', (format, asEdit) => {
    fc.assert(
      fc.property(fileOf('alike'), change, (file, { fresh }) => {
        const original = textOf(file)
        const bare = fold(textOf({ ...file, bom: false }))
        const pair = render.pairOf(bare, fold(textOf({ ...file, bom: false }, fresh)))
        fc.pre(pair !== undefined && pair.search !== pair.replace)
        const { search } = pair
        const places = Array.from(bare, (_, i) => bare.startsWith(search, i)).filter(Boolean).length
        // sed takes the first of several matches, overlapping ones too, and has its own meaning for backslashes.
        if (format === 'sed') fc.pre(places === 1 && !search.includes('\\') && !pair.replace.includes('\\'))
        const content = applied({ original, edit: asEdit(pair) })
        expect([undefined, textOf(file, fresh, endOf(file))]).toContain(content)
      }),
      { numRuns },
    )
  })

  test('E-35 a whole text is taken as it is, but for BOM and \\r\\n', () => {
    fc.assert(
      fc.property(fileOf('alike'), lines, (file, fresh) => {
        const text = fresh.join('\n')
        const wanted = (file.bom ? '\uFEFF' : '') + text.replaceAll('\n', endOf(file))
        expect(applied({ original: textOf(file), edit: text, format: 'whole' })).toBe(wanted)
      }),
      { numRuns },
    )
  })

  test('E-11 the second half of a block is the file', () => {
    fc.assert(
      fc.property(fileOf('alike'), lines, (file, fresh) => {
        fc.pre(fresh.length > 0 && !fresh.some(line => /^(?:[<>]{3,}|-{3,}|\+{3,}) ?\w/.test(line)))
        const wanted = textOf({ ...file, finalBreak: true }, fresh, endOf(file))
        expect(applied({ original: textOf(file), edit: render.asReplacement(fresh), format: 'replace_only' })).toBe(wanted)
      }),
      { numRuns },
    )
  })
})

type Apply = (input: EditInput) => string | null | undefined

/** Cuts a text out of a file and puts another in: what stands around it must not change by a byte. */
const keepsOtherBytes = (apply: Apply) =>
  fc.property(fileOf('mixed'), fc.nat(), fc.nat(), fc.constantFrom('', 'new', 'two\nlines', '\rx'), (file, from, length, replace) => {
    const original = textOf(file)
    const body = file.bom ? original.slice(1) : original
    const start = body.length === 0 ? 0 : from % body.length
    const end = Math.min(body.length, start + 1 + (length % 6))
    const raw = body.slice(start, end)
    // Half a line end is no text that matching can see.
    fc.pre(raw !== '' && !(raw.startsWith('\n') && body[start - 1] === '\r') && !(raw.endsWith('\r') && body[end] === '\n'))
    fc.pre(!/[\uDC00-\uDFFF]/.test(raw[0] ?? '') && !/[\uD800-\uDBFF]/.test(raw.at(-1) ?? '') && fold(raw) !== replace)
    const content = apply({ original, edit: { search: fold(raw), replace } })
    if (content === undefined || content === null) return true
    const offset = original.length - body.length
    return (
      content.startsWith(original.slice(0, offset + start)) &&
      content.endsWith(body.slice(end)) &&
      fold(content) === fold(original.slice(0, offset + start)) + replace + fold(body.slice(end))
    )
  })

describe('bytes outside the edit', () => {
  test('E-31 never change', () => {
    expect(() => fc.assert(keepsOtherBytes(applied), { numRuns })).not.toThrow()
  })

  test('E-31 a copy that tidies line ends is caught', () => {
    const tidy: Apply = input => applied(input)?.replaceAll('\r\n', '\n')
    expect(fc.check(keepsOtherBytes(tidy), { numRuns: 2000 }).failed).toBe(true)
  })

  test('E-31 a copy that drops the BOM is caught', () => {
    const bare: Apply = input => applied(input)?.replace(/^\uFEFF/, '')
    expect(fc.check(keepsOtherBytes(bare), { numRuns: 2000 }).failed).toBe(true)
  })
})

/** What an edit answers, with `\r\n` for every line break of the new content. */
function inCrlf(outcome: ReturnType<typeof applyEdit>): unknown {
  if (outcome.kind === 'refused') return outcome
  const { content, ...rest } = outcome.value
  return { ...rest, content: content?.replaceAll('\n', '\r\n') }
}

const asIs = (outcome: ReturnType<typeof applyEdit>): unknown => (outcome.kind === 'refused' ? outcome : outcome.value)

const anyEdit = fc.oneof(
  fc.array(fc.record({ search: lines.map(all => all.join('\n')), replace: lines.map(all => all.join('\n')), all: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  fc
    .tuple(fc.constantFrom(...Object.values(LINE_FORMATS)), lines, lines, fc.constantFrom(0, 1, 2))
    .map(([asEdit, old, fresh, context]) => asEdit(render.hunksOf(render.diffLines(old, fresh), context))),
)

describe('a file whose line breaks are all \\r\\n', () => {
  test('E-32 answers every edit as its copy with \\n does', () => {
    const content = fc.array(fc.oneof(line, fc.constantFrom('\rx', 'y\r', 'a\rb')), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(content, fc.boolean(), fc.boolean(), anyEdit, (content, bom, finalBreak, edit) => {
        const original = (bom ? '\uFEFF' : '') + content.join('\n') + (finalBreak ? '\n' : '')
        // A break that \r already precedes could be read either way in the copy.
        fc.pre(original.includes('\n') && !original.includes('\r\n'))
        expect(asIs(applyEdit({ original: original.replaceAll('\n', '\r\n'), edit }))).toEqual(inCrlf(applyEdit({ original, edit })))
      }),
      { numRuns },
    )
  })

  test.each([
    [
      'several edits, each told its line in the text as it stood',
      'a\r\nb\r\nc\r\nd\r\n',
      ['b', 'x\ny'],
      ['d', 'z'],
      'a\r\nx\r\ny\r\nc\r\nz\r\n',
      [2, 5],
    ],
    ['a last line without a break stays without one', 'a\r\nb', ['b', 'c'], ['a', 'd'], 'd\r\nc', [2, 1]],
  ])('E-3, E-34 %s', (_, original, [search = '', replace = ''], [later = '', fresh = ''], content, at) => {
    const outcome = applyEdit({ original, edit: render.asBlocks([hunk(search, replace), hunk(later, fresh)]) })
    expect(outcome).toMatchObject({ kind: 'ok', value: { content, edits: at.map(line => ({ line, match: 'exact' })) } })
  })
})

function hunk(search: string, replace: string): render.Hunk {
  return { lines: render.diffLines(search.split('\n'), replace.split('\n')), old: 1, fresh: 1 }
}

// Pieces of every format, cut and joined at random.
const PIECES = [
  '<<<<<<< SEARCH',
  '<<< OLD',
  '=======',
  '>>>>>>> REPLACE',
  '------- SEARCH',
  '+++++++ REPLACE',
  ':start_line:1',
  '-------',
  '@@ -1,2 +1,2 @@',
  '@@',
  '--- a/x',
  '+++ b/x',
  'diff --git a/x b/y',
  'rename from x',
  'rename to y',
  'deleted file mode 1',
  '\\ No newline',
  '*** Begin Patch',
  '*** End Patch',
  '*** Update File: x',
  '*** Add File: x',
  '*** Delete File: x',
  '*** Move to: y',
  '*** End of File',
  's/a/b/',
  's|(a*)*|\\1|g',
  's/a',
  '<old_text>',
  '</old_text>',
  '<new_text>',
  '</new_text>',
  '{"search":"a","replace":',
  '{search="a"',
  '<set search="a" replace=\'b\'/>',
  '<set search="',
  '</set>',
  '```',
  '~~~js',
  'src/x.js',
  '-a',
  '+b',
  ' c',
  '1 | a',
  '\uFEFF',
  '\0',
  '\r',
  '\r\n',
  '\uD800',
]
const piece = fc.oneof(line, fc.string({ maxLength: 12, unit: 'binary' }), fc.constantFrom(...PIECES))
const wild = fc
  .array(fc.tuple(piece, fc.constantFrom('\n', '\n', '\n', '', ' ', '\r\n')), { maxLength: 14 })
  .map(parts => parts.flat().join(''))

describe('any text', () => {
  test('E-2 never throws and answers the same twice', () => {
    const format = fc.option(fc.constantFrom(...FORMATS), { nil: undefined })
    const original = fc.oneof(fc.constant(null), wild)
    fc.assert(
      fc.property(original, wild, format, fc.constantFrom(undefined, 'x', 'src/x.js', 'x.md'), (original, edit, format, path) => {
        const outcome = applyEdit({ original, edit, format, path })
        expect(applyEdit({ original, edit, format, path })).toEqual(outcome)
        const { code, message } = outcome.kind === 'refused' ? outcome.error : { code: 'not_found', message: '' }
        expect(ERROR_CODES).toContain(code)
        expect(message.length).toBeLessThanOrEqual(2000)
      }),
      { numRuns },
    )
  })

  test('E-2 as objects, plans and replies too', () => {
    fc.assert(
      fc.property(wild, wild, wild, fc.boolean(), (original, search, replace, all) => {
        expect(['ok', 'refused']).toContain(applyEdit({ original, edit: [{ search, replace, all }] }).kind)
        expect(['ok', 'refused']).toContain(splitReply({ text: search }).kind)
        expect(['ok', 'refused']).toContain(planEdits({ edit: `${search}\n${replace}`, files: { x: original, 'src/x.js': '' } }).kind)
        expect(['ok', 'refused']).toContain(planEdits({ edit: search, files: { x: original }, format: 'whole' }).kind)
      }),
      { numRuns },
    )
  })

  test('E-45 an edit that was split off is read as one again', () => {
    fc.assert(
      fc.property(wild, text => {
        const outcome = splitReply({ text })
        fc.pre(outcome.kind === 'ok')
        const again = outcome.value.edits.map(({ edit, format }) => applyEdit({ original: 'q\n', edit, format }))
        expect(again.filter(one => one.kind === 'refused' && one.error.code === 'malformed')).toEqual([])
      }),
      { numRuns },
    )
  })
})
