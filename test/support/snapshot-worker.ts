// Changes files and takes snapshots until it is killed; notes each snapshot that was finished, with what was in the folder.
import { appendFileSync, chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { createGit } from '../../src/sandbox/git/git.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { createSnapshots } from '../../src/sandbox/snapshot/snapshots.ts'

const [project = '', personal = '', journal = '', seed = ''] = process.argv.slice(2)
const { processes, state } = createSandbox({
  env: process.env,
  home: personal,
  personal,
  project: null,
  require: 'none',
  redact: text => text,
  clock: systemClock,
})
const git = createGit(processes, { root: project, gitFolder: join(project, '.git') })
const snapshots = createSnapshots({ git, state, clock: systemClock, isSensitive: () => false, skip: [] })
const base = await git.line(['rev-parse', 'HEAD'])
const run = newId('run', systemClock)

function contents(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(root).filter(name => name !== '.git' && name !== 'src')) {
    const stat = lstatSync(join(root, name))
    found[name] = stat.isSymbolicLink()
      ? `link ${readlinkSync(join(root, name))}`
      : `${(stat.mode & 0o777).toString(8)} ${readFileSync(join(root, name), 'base64')}`
  }
  found['src/a.ts'] = `644 ${readFileSync(join(root, 'src/a.ts'), 'base64')}`
  return found
}

process.stdout.write('up\n')
for (let i = 0; ; i++) {
  writeFileSync(join(project, `untracked-${i % 7}`), `${seed} ${i} ${'x'.repeat(i % 50)}`)
  writeFileSync(join(project, `ignored-${i % 3}.log`), `${seed} ${i} ${Math.random()}`)
  writeFileSync(join(project, 'src/a.ts'), `${seed} ${i}\r\n`)
  rmSync(join(project, 'link'), { force: true })
  symlinkSync(`untracked-${i % 7}`, join(project, 'link'))
  chmodSync(join(project, `untracked-${i % 7}`), i % 2 ? 0o755 : 0o640)
  rmSync(join(project, `untracked-${(i + 3) % 7}`), { force: true })
  const files = contents(project)
  const { ref } = await snapshots.take({ run, root: project, base, reason: `${i}` })
  appendFileSync(journal, `${JSON.stringify({ ref, files })}\n`)
}
