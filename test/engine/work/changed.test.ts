import { expect, test } from 'vitest'
import { done, goOn, working } from '../../support/working.ts'

const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }, goOn] })
const write = (path: string) => ({ calls: [{ name: 'write', arguments: { path, content: 'new\n' } }, goOn] })
const files = { '.gitignore': 'dist/\n', 'src/a.txt': 'a\n', 'src/b.txt': 'b\n', 'src/c.txt': 'c\n' }

async function changedBy(...turns: object[]): Promise<string[]> {
  const { work } = working({ files, scripts: { m: { turns: [...turns, { calls: [done] }] } } })
  const ran = (await work({ prompt: 'Change it.', model: 'm' })) as unknown as { changed: string[]; run: { outcome: string } }
  expect(ran.run.outcome).toBe('unproven')
  return ran.changed
}

test('what commands changed, made and removed counts as changed by the run, like the edits of its tools', async () => {
  const command = 'echo more >> src/a.txt; rm src/b.txt; echo x > src/new.txt; mkdir dist; echo y > dist/out'
  expect(await changedBy(bash(command), write('src/c.txt'))).toEqual(['src/a.txt', 'src/b.txt', 'src/c.txt', 'src/new.txt'])
})

test('what was made and taken away again is no change', async () => {
  expect(await changedBy(write('src/new.txt'), bash('rm src/new.txt; echo a > src/a.txt'))).toEqual([])
})
