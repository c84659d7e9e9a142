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

test('C-74: beyond 8,000 tokens only the nearest stays, and it is said that others were left out', () => {
  const kept = (each: number) => keptInstructions(found, () => each).map(({ text }) => text)
  expect(kept(2_666)).toEqual(['outer', 'middle', 'inner'])
  expect(kept(2_667)).toEqual(['inner'])
  const text = renderInstructions(
    found,
    keptInstructions(found, () => 9_000),
  )
  expect(text).toMatch(/^\(2 outer instruction files were left out[^]*<instructions path="a\/b\/CLAUDE.md">\ninner\n<\/instructions>$/)
})
