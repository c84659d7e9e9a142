// Runs short commands in the sandbox without end, to be killed in the middle: `busy-sandbox.ts <folder> <token>`.
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { NODE_FOLDER } from './node-folder.ts'

const [folder = '', token = ''] = process.argv.slice(2)
const place = join(folder, 'place')
const { processes } = createSandbox({
  env: { PATH: process.env['PATH'] },
  home: join(folder, 'home'),
  personal: join(folder, 'personal'),
  project: null,
  require: 'bubblewrap',
  redact: text => text,
  clock: systemClock,
  homeRead: NODE_FOLDER,
})
const run_id = newId('run', systemClock)
for (;;) {
  await processes.run({
    argv: { shell: 'true' },
    cwd: place,
    profile: 'worker',
    writable: { place, owned: ['**'] },
    env: { TOKEN: token },
    timeout_ms: 5_000,
    keep: { head: 100, tail: 100 },
    run_id,
    series: true,
  })
  process.send?.('ran')
}
