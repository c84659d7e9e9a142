import { describe, expect, test } from 'vitest'
import { applyEdit } from '../../../src/text/edits/apply.ts'
import { callDeadline } from '../../../src/text/edits/deadline.ts'
import { splitReply } from '../../../src/text/edits/split.ts'
import type { EditInput } from '../../../src/text/edits/types.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { apply, block, patch } from './cases.ts'

/** With all the time of a call, however busy the machine is. */
const patient = callDeadline(() => 0)

function content(original: string | null, edit: EditInput['edit']): string | null {
  const outcome = applyEdit({ original, edit }, patient)
  return outcome.kind === 'ok' ? outcome.value.content : `!${outcome.error.code}`
}

describe('a result that is too long is refused before it is made', () => {
  const cases: [string, EditInput['edit']][] = [
    ['all places of a text', { search: 'a', replace: 'x'.repeat(20_000), all: true }],
    ['a literal command', `s/a/${'x'.repeat(20_000)}/g`],
    ['an expression', `s/[a]/${'x'.repeat(20_000)}/g`],
    ['an expression that repeats its match', `s/[a]+/${'\\0'.repeat(20_000)}/g`],
  ]
  test.each(cases)('E-50 %s', (_, edit) => {
    expect(content('a'.repeat(5_000), edit)).toBe('!too_large')
  })
})

const kind = (original: string, edit: EditInput['edit']): string => applyEdit({ original, edit }, patient).kind

describe('the time does not grow with the square of the input', () => {
  const long = 'ab'.repeat(200_000)
  const broken = { search: 'a', replace: '\n', all: true }
  const cases: [string, () => string | null, string][] = [
    ['all places on one long line', () => content(long, { search: 'a', replace: 'c', all: true }), 'cb'.repeat(200_000)],
    ['all places on long lines, each broken in two', () => kind(`${long}\n${long}`, broken), 'ok'],
    ['all places behind mixed line ends', () => kind(`${'\r\n'.repeat(100_000)}\n${long}`, broken), 'ok'],
    ['a literal command on one long line', () => content(long, 's/a/c/g'), 'cb'.repeat(200_000)],
    ['an added file with many blank lines behind it', () => content(null, patch('*** Add File: a', '+x', '\n'.repeat(400_000))), 'x\n'],
    ['very many blocks', () => content('a\n', block('a', 'b').repeat(40_000)), '!too_large'],
    ['very many blocks in a reply', () => splitReply({ text: block('a', 'b').repeat(40_000) }, patient).kind, 'ok'],
  ]
  test.each(cases)('E-52 %s', (_, work, wanted) => {
    expect(cpuTime(() => expect(work()).toBe(wanted))).toBeLessThan(2500)
  })

  test('E-51 replacing very many places is stopped when the time is over', () => {
    let now = 0
    const deadline = callDeadline(() => (now += 100))
    const input = { original: 'a'.repeat(200_000), edit: { search: 'a', replace: 'b', all: true } }
    expect(applyEdit(input, deadline)).toMatchObject({ kind: 'refused', error: { code: 'timeout' } })
  })

  test('E-51 reading many hunks without lines is stopped when the time is over', () => {
    let now = 0
    const deadline = callDeadline(() => now++)
    const edit = `x\n${'@@ -1 +1 @@\n'.repeat(10_000)}`
    expect(applyEdit({ original: 'a\n', edit }, deadline)).toMatchObject({ kind: 'refused', error: { code: 'timeout' } })
  })
})

describe('blank lines of an added file', () => {
  test('E-13 one in the middle is malformed at its own line', () => {
    const edit = patch('*** Add File: a', '+x', '', '', '+y')
    expect(apply({ original: null, edit })).toMatchObject({ error: { code: 'malformed', line: 4 } })
  })
})
