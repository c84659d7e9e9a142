import { newId } from '../../kernel/new-id.ts'
import { readTree } from '../../sandbox/git/tree.ts'
import { storeCommit } from '../../sandbox/snapshot/store-commit.ts'
import { measureCommit } from '../attest/measure-tree.ts'
import type { Statement } from '../attest/statement.ts'
import type { Repository } from '../capture/repository.ts'
import { PRODUCED } from '../capture/subject.ts'
import { colourOf } from '../judges/run-colour.ts'
import { createProofPlaces } from '../places/proof-places.ts'
import { openRecord } from '../places/records.ts'
import { prepare } from '../prepare/prepare.ts'
import type { ProveParts } from '../prove.ts'
import { runVerify } from '../runs/run-verify.ts'
import { proveParts } from './parts.ts'
import type { ProofPorts } from './ports.ts'

/** F-35: the same command on the same tree in a new proof place. Needs the tree and nothing else: what is proven has the settings of
 *  its base, and its dependencies too, or leave to have others. */
export async function rerunStatement(
  { subject, predicate }: Statement,
  { ports, repository, signal }: { ports: ProofPorts; repository: Repository; signal: AbortSignal },
): Promise<'green' | 'red' | 'unmeasured'> {
  const parts = proveParts(ports, repository)
  const record = openRecord(parts.state, { proof: newId('prf', ports.clock), git: repository.git.folder })
  const places = createProofPlaces({ ...parts, record })
  try {
    const result = await resultOf(subject, parts)
    const { tree } = result
    const { prepare: command } = await parts.settings(result)
    const side = { tree, entries: await readTree(parts.git, tree) }
    const prepared = await prepare({ command, base: side, result: side, allow_dependencies: false }, { ...parts, signal })
    if (prepared.fact.outcome === 'failed') return 'unmeasured'
    return await places.use(result.commit, async place => {
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

// A proof of a working tree names a commit that only its maker has; whoever has the tree can make one.
async function resultOf(
  [{ digest: tree }, { digest: commit }]: Statement['subject'],
  { git, clock }: Pick<ProveParts, 'git' | 'clock'>,
): Promise<{ commit: string; tree: string }> {
  const isHere = (await measureCommit(git, commit.gitCommit)).kind === 'commit'
  const made = isHere ? commit.gitCommit : await storeCommit(git, clock, { tree: tree.gitTree, parents: [], message: PRODUCED })
  return { commit: made, tree: tree.gitTree }
}
