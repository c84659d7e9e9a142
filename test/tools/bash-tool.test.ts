import { describe, expect, test } from 'vitest'
import { calling, inData } from '../support/calling.ts'

describe('bash', () => {
  test('S-8: what is left out of a long output can be read by the name that is given, and only by such a name', async () => {
    const { call } = await calling()
    const shown = inData(await call('bash', { command: 'seq 1 100000; seq 1 50 >&2' }))
    const name = /\[\d+ bytes left out; the whole is in (output:[0-9a-f]{24}\.stdout) \(use read\)\]/.exec(shown)?.[1] ?? ''
    expect(inData(await call('read', { path: name, offset: 50_000, limit: 2 }))).toBe(
      '50000\t50000\n50001\t50001\n[49999 more lines; go on with offset 50002]',
    )
    expect(await call('read', { path: `output:${'0'.repeat(24)}.stdout` })).toContain('is not kept any more. Run the command again.')
    expect(await call('read', { path: 'output:../../../keys' })).toContain('does not exist')
  })

  test('a command that fails shows as much as one that does not', async () => {
    const { call } = await calling()
    const shown = await call('bash', { command: 'seq 1 5000; exit 3' })
    expect(shown).toMatch(/^Error: <data from="bash">\n1\n2\n3\n/)
    expect(shown.split('\n')).toHaveLength(5_003)
    expect(shown).toMatch(/\n5000\nExit code 3\.\n<\/data>$/)
  })

  test('a reader that has enough is no failure', async () => {
    const { call } = await calling()
    expect(await call('bash', { command: 'seq 1 500000 | head -2' })).toMatch(
      /^<data from="bash">\n1\n2\nExit code 141: .*as is usual before head\.\n<\/data>$/,
    )
    expect(await call('bash', { command: 'exit 141' })).toMatch(/^Error: .*\nExit code 141\.\n/)
    expect(await call('bash', { command: 'false | cat' })).toMatch(/^Error: .*\nExit code 1\.\n/)
  })

  test.each([
    [
      'sleep 100 & echo started',
      'started\nIt had left a process running, and it was ended: nothing outlives its command. Start and use it in one command.',
    ],
    [
      '(sleep 100 &) ; setsid sleep 100 & echo two',
      expect.stringMatching(/^two\nIt had left \d processes running, and they were ended: /) as string,
    ],
    ['sleep 0.01 & wait; echo none', 'none'],
    ['diff <(echo a) <(echo a) && echo same', 'same'],
  ])('%s: what it leaves running is told', async (command, text) => {
    const { call } = await calling()
    expect(inData(await call('bash', { command }))).toEqual(text)
  })

  test('one that does not end is told how it could be given longer', async () => {
    const { call } = await calling()
    expect(await call('bash', { command: 'echo begun; sleep 60', timeout_s: '1' })).toMatch(
      /begun\nIt did not end within 1 s and was stopped\. If it needs longer, pass timeout_s \(at most 3600\)/,
    )
  })
})
