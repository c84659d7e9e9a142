import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunFact } from '../../src/proof/facts.ts'
import { settleInterrupted } from '../../src/proof/places/records.ts'
import { Proof } from '../../src/proof/proof.ts'
import { type ProveParts, prove } from '../../src/proof/prove.ts'
import { git, NODE, write } from '../sandbox/support.ts'
import { jobOf, newTold, partsOf } from './parts.ts'
import { type House, house } from './support.ts'

const said = (runs: RunFact[] = []): string[] =>
  runs.map(({ name, n, exit, reason, stdout }) => `${name}${n} ${exit ?? reason} ${stdout.text.trim()}`)

/** What a proof may leave behind: nothing but what it keeps on purpose. */
function leftIn({ state }: House): string[] {
  return ['places', 'scratch', 'proofs', 'tmp'].flatMap(name =>
    existsSync(join(state, name))
      ? readdirSync(join(state, name), { recursive: true, encoding: 'utf8' }).filter(path => !/^prj_\w+$/.test(path))
      : [],
  )
}

describe('a proof', () => {
  test('runs the command on base, half and result, each in a clean place of its own', async () => {
    const h = house({ 'sum.js': 'exports.sum = (a, b) => a - b\n', '.gitignore': '*.log\n' })
    write(h.root, {
      'sum.js': 'exports.sum = (a, b) => a + b\n',
      'sum.test.js': "require('node:assert').equal(require('./sum.js').sum(1, 2), 3)\n",
      'secret.log': 'ignored',
    })
    const told = newTold()
    const command = 'ls -A; test ! -e made && touch made && node sum.test.js'
    const proof = await prove(jobOf(h, { text: command, repeat: 2 }), partsOf(h, told))
    const files = '.git\n.gitignore\nsum.js'
    expect(said(told.facts?.runs)).toEqual([
      `base1 1 ${files}`,
      `half1 1 ${files}\nsum.test.js`,
      `result1 0 ${files}\nsum.test.js`,
      `result2 0 ${files}\nsum.test.js`,
    ])
    expect(told.facts?.runs.map(({ isolation: { level, network, degraded } }) => [level, network, degraded])).toEqual(
      Array.from({ length: 4 }, () => ['bubblewrap', 'off', null]),
    )
    expect(Proof().parse(proof)).toMatchObject({ verdict: 'proven', command: { shell: 'bash --noprofile --norc -o pipefail -c' } })
    expect(told.log).toEqual([`started ${proof.proof_id}`, `proven ${proof.proof_id}`])
    expect(told.progress.map(({ kind }) => kind).filter(kind => kind !== 'run.output')).toEqual([
      'captured',
      'planned',
      'prepared',
      ...Array.from({ length: 4 }, () => ['run.started', 'run.ended']).flat(),
    ])
    expect(leftIn(h)).toEqual([])
    expect(git(h.root, 'status', '--porcelain', '--ignored')).toBe(' M sum.js\n?? sum.test.js\n!! secret.log'.trim())
  })

  test('F-15 empties what it guards, and the mode of a file stays', async () => {
    const h = house({ 'run.sh': 'echo hello\n', other: 'x' })
    git(h.root, 'update-index', '--chmod=+x', 'run.sh')
    git(h.root, 'commit', '-qm', 'mode')
    git(h.root, 'checkout', '-q', '--', '.')
    write(h.root, { 'run.sh': '# nicer\necho hello\n' })
    const told = newTold()
    const text = 'test -x run.sh && wc -c < run.sh && test "$(bash run.sh)" = hello'
    await prove(jobOf(h, { text, kind: 'guard' }), partsOf(h, told))
    expect(told.facts?.plan).toEqual({ required: ['base', 'broken', 'result'], sabotage: ['run.sh'], skipped: [] })
    expect(said(told.facts?.runs)).toEqual(['base1 0 11', 'broken1 1 0', 'result1 0 19'])
  })

  test('F-9 sees nothing that tells it from a worker’s run: path, variables, host', async () => {
    const h = house()
    write(h.root, { b: 'b' })
    const told = newTold()
    await prove(
      jobOf(h, { text: 'pwd; hostname; env | cut -d= -f1 | sort | tr "\\n" " "; echo; echo "$HOME $QED_SCRATCH $QED_RUN"' }),
      partsOf(h, told),
    )
    const [path = '', host, names, values] = told.facts?.runs.at(-1)?.stdout.text.split('\n') ?? []
    expect(path).toMatch(new RegExp(`^${h.state}/places/prj_\\w+/run_\\w{26}$`))
    expect([host, names?.includes('PROOF')]).toEqual(['qed', false])
    expect(`${path} ${values}`.replace(h.state, '')).not.toMatch(/proof|prf/i)
  })

  test('the place is a repository of its own, detached at the commit, without remotes, hooks or config of the project', async () => {
    const h = house()
    git(h.root, 'remote', 'add', 'origin', 'https://example.com/x.git')
    git(h.root, 'config', 'alias.x', 'status')
    write(h.root, { b: 'b' })
    const told = newTold()
    const text =
      'git status --porcelain; git log --format=%an; git remote; git config --get alias.x; ls .git/hooks 2>/dev/null; git rev-parse --abbrev-ref HEAD'
    await prove(jobOf(h, { text }), partsOf(h, told))
    expect(said(told.facts?.runs)).toEqual(['base1 0 t\nHEAD', 'result1 0 QED\nt\nHEAD'])
  })

  test('F-10 a time-out, a flood and a crash are told as what they are', async () => {
    const h = house({ what: 'exit 1' })
    const told = newTold()
    for (const what of ['sleep 30', 'yes', 'kill -9 $$']) {
      write(h.root, { what })
      await prove(jobOf(h, { text: '. ./what', timeout_s: 1 }), partsOf(h, told))
      const run = told.facts?.runs.at(-1)
      told.log.push(`${what}: ${run?.reason} ${run?.exit} ${(run?.stdout.text.length ?? 0) <= (1 << 20) + 200}`)
    }
    expect(told.log.filter(line => line.includes(':'))).toEqual([
      'sleep 30: timeout 143 true',
      expect.stringMatching(/^yes: (output-limit|timeout) 143 true$/),
      'kill -9 $$: exited 137 true',
    ])
  })

  test('a secret in the output is taken out and told, wherever it stands', async () => {
    const h = house()
    write(h.root, { b: 'b' })
    const told = newTold()
    const key = `ghp_${'a1B2'.repeat(9)}`
    await prove(
      jobOf(h, { text: `seq 1 200000; echo token=$(echo ${key.slice(0, 20)}'${key.slice(20)}') ; seq 1 200000` }),
      partsOf(h, told),
    )
    const run = told.facts?.runs.at(-1)
    expect([run?.stdout.secret, run?.stderr.secret, run?.stdout.text.includes(key), run?.stdout.cut]).toEqual([true, false, false, true])
  })

  test('F-4 an edit while it runs is seen at the end', async () => {
    const h = house()
    write(h.root, { b: 'b' })
    const told = newTold()
    const parts = partsOf(h, told)
    await prove(jobOf(h, { text: 'true' }), parts)
    expect(told.facts?.tree_at_end).toBe(told.facts?.result.tree)
    await prove(jobOf(h, { text: 'true' }), { ...parts, gates: () => (writeFileSync(join(h.root, 'b'), 'edited'), Promise.resolve([])) })
    expect(told.facts?.tree_at_end).not.toBe(told.facts?.result.tree)
  })

  test('F-13 takes a base over that it has run before, with the same walls, and runs it anew otherwise', async () => {
    const h = house()
    write(h.root, { b: 'b' })
    const told = newTold()
    const parts = partsOf(h, told)
    const text = 'test -e b'
    await prove(jobOf(h, { text }), parts)
    expect(told.facts?.runs.map(({ name, exit, reused }) => [name, exit, reused])).toEqual([
      ['base', 1, undefined],
      ['result', 0, undefined],
    ])
    await prove(jobOf(h, { text }), parts)
    expect(told.facts?.runs.map(({ name, exit, reused }) => [name, exit, reused])).toEqual([
      ['base', 1, true],
      ['result', 0, undefined],
    ])
    await prove(jobOf(h, { text, network: true }), parts)
    expect(told.facts?.runs.map(({ reused }) => reused)).toEqual([undefined, undefined])
    const other = {
      ...parts.bases,
      get: (key: string) => {
        const kept = parts.bases.get(key)
        return kept && { ...kept, isolation: { ...kept.isolation, network: 'host' as const } }
      },
    }
    await prove(jobOf(h, { text }), { ...parts, bases: other })
    expect(told.facts?.runs.map(({ name, reused }) => [name, reused])).toEqual([
      ['base', undefined],
      ['result', undefined],
    ])
  })
})

describe('F-41 whatever ends a proof before its verdict', () => {
  const failing = (what: string) => (): never => {
    throw new Error(what)
  }
  test.each<[string, Partial<ProveParts>]>([
    ['settings', { settings: failing('no') }],
    ['surroundings', { surroundings: failing('no') }],
    ['gates', { gates: failing('no') }],
    ['judge', { judge: failing('no') }],
    ['seal', { seal: failing('no') }],
  ])('a failure of %s: no verdict, no place, no ref', async (_what, broken) => {
    const h = house()
    write(h.root, { b: 'b' })
    const told = newTold()
    const job = jobOf(h, { text: 'true' })
    await expect(prove(job, partsOf(h, told, broken))).rejects.toThrow('no')
    expect(told.log).toEqual([`started ${job.proof}`, `interrupted ${job.proof} no`])
    expect([leftIn(h), git(h.root, 'for-each-ref', 'refs/qed')]).toEqual([[], ''])
  })

  test('a signal in the middle of a run ends it and everything of it', async () => {
    const h = house()
    write(h.root, { b: 'b' })
    const told = newTold()
    const stop = new AbortController()
    const parts = partsOf(h, told, { progress: event => event.kind === 'run.output' && stop.abort() })
    const job = jobOf(h, { text: 'echo up; sleep 60' }, { signal: stop.signal })
    await expect(prove(job, parts)).rejects.toMatchObject({ code: 'cancelled' })
    expect(told.log.at(-1)).toBe(`interrupted ${job.proof} cancelled`)
    expect([leftIn(h), h.processes.running()]).toEqual([[], []])
  })

  test('SIGKILL at any point: no verdict, and the next start removes what it left and tells it', async () => {
    const h = house()
    write(h.root, { b: 'b' })
    for (const until of ['captured', 'run.started', 'run.output', 'run.ended', 'judged', 'sealed']) {
      const child = spawn(NODE, [join(import.meta.dirname, '../support/proof-worker.ts'), h.root, join(h.folder, 'personal'), until], {
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: 20_000,
        killSignal: 'SIGKILL',
      })
      const lines: string[] = []
      child.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)))
      await once(child, 'exit')
      const [started = ''] = lines
      expect([until, lines]).toEqual([until, [started]])
      const told: string[] = []
      await settleInterrupted({ state: h.state, git: h.repository.git.folder }, proof =>
        Promise.resolve(void told.push(`started ${proof}`)),
      )
      expect([until, told, leftIn(h)]).toEqual([until, [started], []])
    }
  })

  test('with `keep` the places stay', async () => {
    const h = house()
    write(h.root, { b: 'b' })
    await prove(jobOf(h, { text: 'true' }, { keep: true }), partsOf(h, newTold()))
    expect(readdirSync(join(h.state, 'places/prj_01JGFJJZ00000000000000000'))).toHaveLength(2)
  })
})
