import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { createGit, type Git } from '../../src/sandbox/git/git.ts'
import { isSensitiveName } from '../../src/sandbox/isolation/sensitive.ts'
import { createPlaces, type PlaceLimits, type Places } from '../../src/sandbox/place/places.ts'
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { DEFAULT_LAYER, DEFAULT_OUTPUTS } from '../../src/sandbox/scope/outputs.ts'
import { createSnapshots, type Snapshots, type SnapshotsOptions } from '../../src/sandbox/snapshot/snapshots.ts'
import { type Bench, bench, git, repository } from './support.ts'

/** A project with everything that keeps its work. */
export interface House extends Bench {
  project: string
  base: string
  driver: Git
  snapshots: Snapshots
  places: Places
}

export function house(
  files: Record<string, string> = { 'src/a.ts': 'a\n', '.gitignore': 'dist/\n*.log\nnode_modules/\n' },
  more: Partial<SnapshotsOptions> & { limits2?: PlaceLimits; sandbox?: Partial<SandboxOptions> } = {},
): House {
  const project = repository(files)
  const { limits2, sandbox, ...rest } = more
  const b = bench({ ...sandbox, ...(sandbox && { project: { root: project, gitFolder: join(project, '.git') } }) })
  const driver = createGit(b.processes, { root: project, gitFolder: join(project, '.git') })
  const common = { git: driver, state: b.state, clock: systemClock }
  const snapshots = createSnapshots({ ...common, isSensitive: isSensitiveName, skip: [...DEFAULT_OUTPUTS, ...DEFAULT_LAYER], ...rest })
  const places = createPlaces({
    ...common,
    snapshots,
    project: { id: 'prj_x', root: project },
    outputs: DEFAULT_OUTPUTS,
    isolated: async () => (await b.isolation.state()).kind === 'available',
    ...(limits2 && { limits: limits2 }),
  })
  return { ...b, project, base: git(project, 'rev-parse', 'HEAD'), driver, snapshots, places }
}

/** Everything of a folder that a snapshot promises to bring back. */
export function contents(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(root.length + 1)
    if (name === '.git' || name.startsWith('.git/')) continue
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) found[name] = `link ${readlinkSync(path)}`
    else if (stat.isFile()) found[name] = `${(stat.mode & 0o777).toString(8)} ${readFileSync(path, 'base64')}`
  }
  return found
}
