import { join } from 'node:path'
import { readTree } from '../../sandbox/git/tree.ts'
import { lstatIfThere } from '../../sandbox/paths.ts'
import type { PreparedLayer } from '../../sandbox/place/layer.ts'
import { createIgnoredByGit } from '../../sandbox/snapshot/ignored-by-git.ts'
import { requireRevision } from '../capture/choose.ts'
import type { Repository } from '../capture/repository.ts'
import type { PrepareFact } from '../facts.ts'
import type { Layer } from '../prepare/layers.ts'
import { relocation } from '../prepare/mount-layer.ts'
import { prepare } from '../prepare/prepare.ts'
import { proveParts } from './parts.ts'
import type { ProofPorts } from './ports.ts'

/** Told while the dependencies of a place are made. */
export interface Preparing {
  signal: AbortSignal
  preparing: (command: string) => void
  prepared: (fact: PrepareFact) => void
}

/** S-13: the dependencies of a commit for a place in which somebody works, made as for its proof. Null where it needs none, or where
 *  they could not be made, which is told. */
export async function preparedLayer(
  base: string,
  { signal, preparing, prepared }: Preparing,
  { ports, repository }: { ports: ProofPorts; repository: Repository },
): Promise<PreparedLayer | null> {
  const parts = proveParts(ports, repository)
  const at = await requireRevision(repository.own, base)
  const { prepare: command } = await parts.settings(at)
  const side = { tree: at.tree, entries: await readTree(parts.git, at.tree) }
  const job = { command, base: side, result: side, allow_dependencies: false }
  const { layer, fact } = await prepare(job, { ...parts, signal, making: preparing })
  if (fact.outcome !== 'none') prepared(fact)
  return layer && forWork(layer, repository)
}

// What git does not ignore would be taken for work; caches in git data have no room where that is a file.
async function forWork(layer: Layer, { git, root }: Repository): Promise<PreparedLayer> {
  const named = layer.parts.map(part => (lstatIfThere(join(layer.folder, part))?.isDirectory() ? `${part}/` : part))
  const ignored = await createIgnoredByGit(git)(root, named)
  const paths = named.filter(name => ignored.has(name)).map(name => name.replace(/\/$/, ''))
  return { folder: layer.folder, paths, relocation: path => relocation(path, layer) }
}
