import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { workIn } from '../support/proving.ts'
import { BIN } from '../support/qed.ts'

// One run, killed again and again wherever it stands, and gone on with each time.

const POINTS = process.env['QED_NIGHTLY'] ? 200 : 20
const LIMITS = ['--max-tool-calls', '100000', '--max-tokens', '100000000000']

interface Taken {
  type: string
  data: { ref: string; tree: string; reason: string }
}

test(
  `S-26, R-29: killed with -9 at ${POINTS} random points, with git collecting at once, a run loses no snapshot and takes one when it goes on`,
  async () => {
    const { root, env, git, json, qed } = workIn({
      'src/f0.js': '0\n',
      'tool.cjs': `require('fs').writeFileSync('src/tool.js', process.argv[2] + '\\n')\n`,
    })
    env['QED_MAX_TURNS'] = '100000'
    await qed(['init'])
    const script = join(env['HOME'] ?? '', 'script.json')
    const prepare = (round: number): void => {
      const turns = Array.from({ length: 5000 }, (_, i) => ({
        calls: [
          i % 5 === 4
            ? { name: 'bash', arguments: { command: `node tool.cjs ${round}.${i}` } }
            : { name: 'write', arguments: { path: `src/f${i % 7}.js`, content: `${round}.${i}\n` } },
        ],
      }))
      writeFileSync(script, JSON.stringify({ scripts: { main: { turns } } }))
    }
    const files = (): Record<string, string> =>
      Object.fromEntries(readdirSync(join(root, 'src')).map(name => [name, readFileSync(join(root, 'src', name), 'utf8').trim()]))
    const start = (args: string[]) => spawn(BIN, [...args, '--model', `script:${script}`, ...LIMITS], { cwd: root, env, stdio: 'ignore' })
    const taken = async (run: string): Promise<Taken[]> => {
      const all: Taken[] = []
      const list = ['events', 'list', '--stream', `run:${run}`, '--type', 'snapshot.taken', '--limit', '1000', '--json']
      for (let after: number | undefined = 0; after !== undefined; ) {
        const page: { items: Taken[]; next?: number } = await json([...list, '--after', String(after)])
        all.push(...page.items)
        after = page.next
      }
      return all
    }

    prepare(0)
    let child = start(['code', 'many things', '--scope', 'src/**'])
    // On a busy machine the first kill would come before there is a run to go on with.
    while ((await json<{ items: unknown[] }>(['run', 'list', '--json'])).items.length === 0) await setTimeout(50)
    for (let point = 1; point <= POINTS; point++) {
      await setTimeout(300 + Math.random() * 900)
      // It may have ended by itself; then this round tries nothing, and the figures at the end show it.
      if (child.kill('SIGKILL')) await once(child, 'exit')
      git('gc', '--quiet', '--prune=now')
      expect(git('fsck', '--connectivity-only', '--no-dangling')).toBe('')
      prepare(point)
      const { items } = await json<{ items: { id: string }[] }>(['run', 'list', '--json'])
      child = start(point === POINTS ? ['run', 'list'] : ['run', 'resume', items[0]?.id ?? ''])
    }
    await once(child, 'exit')
    const { items } = await json<{ items: { id: string; status: string }[] }>(['run', 'list', '--json'])
    expect(items).toHaveLength(1)
    const run = items[0]?.id ?? ''
    // A write that was killed half-way leaves its draft, which the resume takes away.
    const isDraft = (name: string): boolean => /\.\d+-\d+\.tmp$/.test(name)
    const before = Object.fromEntries(Object.entries(files()).filter(([name]) => !isDraft(name)))
    const known = (await taken(run)).length
    expect(known).toBeGreaterThan(POINTS)
    const end = { name: 'write', arguments: { path: 'src/end.js', content: 'end\n' } }
    const done = { when: { sees: 'src/end.js' }, calls: [{ name: 'update', arguments: { status: 200, body: 'Done.' } }] }
    writeFileSync(script, JSON.stringify({ scripts: { main: { turns: [done], otherwise: { calls: [end] } } } }))
    const resumed = await qed(['run', 'resume', run, '--model', `script:${script}`, ...LIMITS, '--json'])
    expect(JSON.parse(resumed.stdout)).toMatchObject({ text: 'Done.', run: { status: 'completed', outcome_reason: null } })

    const all = await taken(run)
    expect(all.map(({ data }) => git('rev-parse', `${data.ref}^{tree}`))).toEqual(all.map(({ data }) => data.tree))
    const [first] = all.slice(known)
    expect(first?.data.reason).toBe('resumed')
    const saved = git('ls-tree', '--name-only', `${first?.data.ref}:src`).split('\n')
    expect(Object.fromEntries(saved.map(name => [name, git('show', `${first?.data.ref}:src/${name}`)]))).toEqual(before)
    expect(Object.keys(files()).filter(isDraft)).toEqual([])
    expect((await qed(['events', 'verify'])).exit).toBe(0)
  },
  POINTS * 10_000,
)
