import { newId } from '../../kernel/new-id.ts'
import type { Statement } from '../attest/statement.ts'
import { compareTrees } from '../capture/compare.ts'
import type { Repository } from '../capture/repository.ts'
import { colourOf } from '../judges/run-colour.ts'
import { createProofPlaces } from '../places/proof-places.ts'
import { openRecord } from '../places/records.ts'
import { prepare } from '../prepare/prepare.ts'
import { runVerify } from '../runs/run-verify.ts'
import { proveParts } from './parts.ts'
import type { ProofPorts } from './ports.ts'

/** F-35: the same command on the same tree in a new proof place, prepared as then. */
export async function rerunStatement(
  { subject, predicate }: Statement,
  { ports, repository, signal }: { ports: ProofPorts; repository: Repository; signal: AbortSignal },
): Promise<'green' | 'red' | 'unmeasured'> {
  const parts = proveParts(ports, repository)
  const proof = newId('prf', ports.clock)
  const record = openRecord(parts.state, { proof, git: repository.git.folder })
  const places = createProofPlaces({ ...parts, record })
  try {
    const tree = subject[0].digest.gitTree
    const base = { commit: predicate.base.gitCommit, tree: predicate.base.gitTree }
    const trees = await compareTrees(parts.git, { base: base.tree, result: tree }, () => false)
    const { prepare: command } = await parts.settings(base)
    const sides = { base: { tree: base.tree, entries: trees.base }, result: { tree, entries: trees.result } }
    const prepared = await prepare({ command, ...sides, allow_dependencies: predicate.scope.allow.dependencies }, { ...parts, signal })
    if (prepared.fact.outcome === 'failed') return 'unmeasured'
    return await places.use(subject[1].digest.gitCommit, async place => {
      await parts.include(place)
      const mounted = prepared.layer ? await parts.mountLayer(place.path, prepared.layer) : { env: {}, layers: [] }
      const run = await runVerify({ name: 'result', n: 1, tree, place, command: predicate.command, ...mounted }, { ...parts, signal })
      const colour = colourOf(run, { hang_is_red: true })
      return colour === 'not-run' ? 'unmeasured' : colour
    })
  } finally {
    await places.close()
    record.close()
  }
}
