import { expect, test } from 'vitest'
import { findInstructions, keptInstructions, renderInstructions } from '../../src/context/instructions.ts'

const files: Record<string, string> = {
  '/p/AGENTS.md': 'outer',
  '/p/CLAUDE.md': 'not read',
  '/p/a/CLAUDE.md': 'middle',
  '/p/a/b/AGENTS.md': ' \n',
  '/p/a/b/CLAUDE.md': 'inner',
}
const found = findInstructions('/p', '/p/a/b', path => files[path] ?? null)

test('C-74: of every folder down to the task’s, AGENTS.md or else CLAUDE.md, outermost first', () => {
  expect(found).toEqual([
    { path: 'AGENTS.md', text: 'outer' },
    { path: 'a/CLAUDE.md', text: 'middle' },
    { path: 'a/b/CLAUDE.md', text: 'inner' },
  ])
  expect(findInstructions('/p', '/elsewhere', path => files[path] ?? null)).toEqual([{ path: 'AGENTS.md', text: 'outer' }])
})

test('C-74: the nearer one stands last, and the model is told that it wins; of a single one there is nothing to tell', () => {
  const rendered = (some: typeof found) =>
    renderInstructions(
      some,
      keptInstructions(some, () => 1),
    )
  expect(rendered(found).split('\n')).toEqual([
    '(Where they disagree, the last one counts.)',
    ...['AGENTS.md', 'outer', 'a/CLAUDE.md', 'middle', 'a/b/CLAUDE.md', 'inner'].flatMap((text, i) =>
      i % 2 === 0 ? [`<instructions path="${text}">`] : [text, '</instructions>'],
    ),
  ])
  expect(rendered(found.slice(0, 1))).toBe('<instructions path="AGENTS.md">\nouter\n</instructions>')
})

test('C-74: beyond 8,000 tokens only the nearest stays, and it is said that others were left out', () => {
  const kept = (each: number) => keptInstructions(found, text => (text === '' ? 0 : each)).map(({ text }) => text)
  expect(kept(2_666)).toEqual(['outer', 'middle', 'inner'])
  expect(kept(2_667)).toEqual(['inner'])
  const text = renderInstructions(
    found,
    keptInstructions(found, one => (one === 'inner' ? 7_000 : 9_000)),
  )
  expect(text).toMatch(/^\(2 outer instruction files were left out[^]*<instructions path="a\/b\/CLAUDE.md">\ninner\n<\/instructions>$/)
})

test('C-74: the nearest itself is cut at 8,000 tokens, at the end of a line, and says so', () => {
  const whole = 'a rule of ten words that someone once wrote down\n'.repeat(2_000)
  const long = [
    { path: 'AGENTS.md', text: 'outer' },
    { path: 'a/AGENTS.md', text: whole },
  ]
  const [kept, ...others] = keptInstructions(long, text => text.length / 4)
  expect(others).toEqual([])
  expect(kept?.text).toBe(whole)
  expect(kept?.shown.length).toBeLessThanOrEqual(32_000)
  expect(kept?.shown.length).toBeGreaterThan(31_900)
  expect(whole.startsWith(`${kept?.shown}\n`)).toBe(true)
  const text = renderInstructions(long, kept ? [kept] : [])
  expect(text).toMatch(/\n\(\d+ more characters of a\/AGENTS\.md were left out; read them if you need them\.\)\n<\/instructions>$/)
})

test('C-74: a nearest file of one endless line is cut too', () => {
  const [kept] = keptInstructions([{ path: 'AGENTS.md', text: 'x'.repeat(100_000) }], text => text.length / 4)
  expect(kept?.shown).toBe('x'.repeat(32_000))
})
