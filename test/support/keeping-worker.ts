// A second QED on the same project: cleans one place, or makes a place and takes snapshots of a run that others work at too.
import { dirname, join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import type { RunId } from '../../src/kernel/ids.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { createKeeping } from '../../src/sandbox/keeping.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'

const [task = '', root = '', state = '', run = ''] = process.argv.slice(2)
const project = { id: 'prj_x', root, gitFolder: join(root, '.git') }
const sandbox = createSandbox({
  env: process.env,
  home: dirname(state),
  personal: dirname(state),
  project,
  require: 'none',
  program: 'no-such-bwrap',
  redact: text => text,
  clock: systemClock,
})
const { places, snapshots, git } = createKeeping({ sandbox, project, clock: systemClock, outputs: [] })
if (task === 'clean') await places.clean(run)
else {
  const base = await git.line(['rev-parse', 'HEAD'])
  const place = await places.make({ run: newId('run', systemClock), base })
  for (let n = 0; n < 5; n++) await snapshots.take({ run: run as RunId, root: place.path, base, reason: `${n}` })
}
