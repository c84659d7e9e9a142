import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Git } from '../../sandbox/git/git.ts'
import { MOST_ENVELOPE_BYTES } from '../attest/envelope.ts'
import { OFFLINE } from '../attest/measure-tree.ts'
import { NOTES_FETCH, readNote } from '../attest/notes.ts'
import { ATTESTATION } from '../evidence/bundle.ts'

/** What is to be checked. Null in `commit` or `tree`: the target does not say, and what the statement names is looked at. */
export interface Target {
  kind: 'commit' | 'tree' | 'here' | 'file' | 'bundle'
  name: string
  commit: string | null
  tree: string | null
  /** The folder of a bundle, where one was named. */
  bundle: string | null
  /** Everything that may hold envelopes, one a line. */
  text: string
}

export type TargetReading = { kind: 'target'; target: Target } | { kind: 'missing' | 'unmeasured' | 'tampered'; reason: string }

export interface TargetPorts {
  git: Git
  /** Where a relative path begins. */
  cwd: string
  /** F-1: the working tree as it is now. */
  capture: () => Promise<{ tree: string }>
}

const MOST_FILE_BYTES = 4 * MOST_ENVELOPE_BYTES

/** `.`, a commit or tree by any name git knows, a file with envelopes, or a bundle. Git's names win over paths; `./` says path. */
export async function readTarget(name: string, ports: TargetPorts): Promise<TargetReading> {
  if (name === '.') return here(ports)
  const object = await resolveObject(ports.git, name)
  if (object !== null) return noted(ports.git, { ...object, kind: object.commit === null ? 'tree' : 'commit', name })
  return fromPath(name, resolve(ports.cwd, name))
}

async function here({ git, capture }: TargetPorts): Promise<TargetReading> {
  const { tree } = await capture()
  const found = await noted(git, { kind: 'here', name: '.', commit: null, tree })
  if (found.kind !== 'missing') return found
  // Not proven as it is; the note of what was committed last tells whether it was proven before someone went on editing.
  const head = await resolveObject(git, 'HEAD')
  if (!head?.commit || !head.tree) return found
  const texts = await Promise.all([head.commit, head.tree].map(oid => readNote(git, oid)))
  const text = texts.map(note => (note.kind === 'note' ? note.text : '')).join('\n')
  return text.trim() === '' ? found : { kind: 'target', target: { kind: 'here', name: '.', commit: null, tree, bundle: null, text } }
}

async function noted(git: Git, object: Pick<Target, 'kind' | 'name' | 'commit' | 'tree'>): Promise<TargetReading> {
  const oid = object.commit ?? object.tree ?? ''
  const note = await readNote(git, oid)
  switch (note.kind) {
    case 'note':
      return { kind: 'target', target: { ...object, bundle: null, text: note.text } }
    case 'too-large':
      return { kind: 'tampered', reason: `the note on ${oid} has ${note.bytes} bytes` }
    case 'none': {
      const onTree = object.commit !== null && object.tree !== null && (await readNote(git, object.tree)).kind === 'note'
      const hint = onTree ? `its tree has one: qed proof check ${object.commit}^{tree}` : `if it was pushed: ${NOTES_FETCH}`
      return { kind: 'missing', reason: `there is no attestation on ${oid}; ${hint}` }
    }
  }
}

async function resolveObject(git: Git, name: string): Promise<{ commit: string | null; tree: string | null } | null> {
  if (name === '' || name.startsWith('-') || /[\0\n]/.test(name)) return null
  const find = async (peeled: string): Promise<string | null> => {
    const { exit, text } = await git.call(['rev-parse', '--verify', '--quiet', peeled], { answers: [0, 1, 128], env: OFFLINE })
    return exit === 0 ? text.trim() : null
  }
  const tree = await find(`${name}^{tree}`)
  return tree === null ? null : { commit: await find(`${name}^{commit}`), tree }
}

function fromPath(name: string, path: string): TargetReading {
  const nowhere = { kind: 'missing' as const, reason: `${name} is neither a commit or tree of this repository nor a file` }
  if (path.includes('\0')) return nowhere
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) return nowhere
    const bundle = stat.isDirectory() ? path : null
    const file = bundle === null ? path : join(bundle, ATTESTATION)
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (size === undefined) return { kind: 'missing', reason: `${name} holds no ${ATTESTATION}` }
    if (size > MOST_FILE_BYTES) return { kind: 'tampered', reason: `${name} has ${size} bytes, more than any attestation` }
    const kind = bundle === null ? 'file' : 'bundle'
    return { kind: 'target', target: { kind, name, commit: null, tree: null, bundle, text: readFileSync(file, 'utf8') } }
  } catch (error) {
    return { kind: 'unmeasured', reason: `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}` }
  }
}
