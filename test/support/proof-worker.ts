// Proves a checkout and kills itself at a point of the way: `node proof-worker.ts <root> <personal> <point>`. Prints what is logged.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { openRepository } from '../../src/proof/capture/repository.ts'
import { prove } from '../../src/proof/prove.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { jobOf, newTold, partsOf } from '../proof/parts.ts'

const [root = '', personal = '', point = ''] = process.argv.slice(2)
const { processes, state } = createSandbox({
  env: process.env,
  home: join(personal, '../home'),
  personal,
  project: { root, gitFolder: join(root, '.git') },
  require: 'bubblewrap',
  redact: text => text,
  clock: systemClock,
})
const told = newTold()
const parts = partsOf({ repository: openRepository(root, processes), processes, state }, told)
const reach = (name: string): void => void (name === point && process.kill(process.pid, 'SIGKILL'))
const say = (line: string): Promise<void> => Promise.resolve(void writeSync(1, `${line}\n`))

await prove(jobOf({ repository: openRepository(root, processes), processes, state }, { text: 'echo up; test -e b' }), {
  ...parts,
  log: {
    started: ({ proof }) => say(`started ${proof}`),
    settled: ({ proof_id }) => say(`settled ${proof_id}`),
    interrupted: proof => say(`interrupted ${proof}`),
  },
  progress: ({ kind }) => reach(kind),
  judge: facts => (reach('judged'), parts.judge(facts)),
  seal: async sealed => {
    const answer = await parts.seal(sealed)
    reach('sealed')
    return answer
  },
})
