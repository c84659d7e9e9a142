// As an ordinary user: a place with a file and a folder that are closed to their own owner, cleaned.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { createKeeping } from '../../src/sandbox/keeping.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'

const [folder = ''] = process.argv.slice(2)
const root = join(folder, 'project')
mkdirSync(root)
writeFileSync(join(root, 'a.txt'), 'a')
const git = ['-c', 'user.name=t', '-c', 'user.email=t@example.com']
for (const args of [
  ['init', '-q'],
  ['add', '-A'],
  [...git, 'commit', '-qm', 'base'],
])
  execFileSync('git', args, { cwd: root, timeout: 10_000 })
const project = { id: 'prj_x', root, gitFolder: join(root, '.git') }
const sandbox = createSandbox({
  env: process.env,
  home: folder,
  personal: join(folder, 'personal'),
  project,
  require: 'none',
  program: 'no-such-bwrap',
  redact: text => text,
  clock: systemClock,
})
const keeping = createKeeping({ sandbox, project, clock: systemClock, outputs: [] })
const place = await keeping.places.make({ run: newId('run', systemClock), base: 'HEAD' })
writeFileSync(join(place.path, 'secret.txt'), 'closed')
mkdirSync(join(place.path, 'closed'))
writeFileSync(join(place.path, 'closed/in.txt'), 'inside')
for (const name of ['secret.txt', 'closed']) chmodSync(join(place.path, name), 0)
keeping.places.end(place.run)
const saved = await keeping.places.clean(place.run)
const [newest] = await keeping.snapshots.list(place.run)
const kept = join(saved.attic ?? '', 'files')
const files = readdirSync(kept, { recursive: true, encoding: 'utf8' }).filter(name => name !== 'closed')
const left_out = newest?.left_out.map(({ reason, path }) => `${reason} ${path}`).sort()
process.stdout.write(JSON.stringify({ left_out, kept: files.sort(), place: existsSync(place.path) }))
