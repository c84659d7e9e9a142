import { join } from 'node:path'
import type { RunId } from '../../kernel/ids.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import type { Git } from '../git/git.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import { changesBetween } from '../snapshot/changes.ts'
import { restoreNew } from '../snapshot/restore.ts'
import type { Snapshots } from '../snapshot/snapshots.ts'
import { BackupUnproven } from './errors.ts'
import type { BackupClass, Target } from './types.ts'

type GitTarget = Target & { class: 'git' }

interface Kept {
  /** Ref as it was → commit. */
  refs: [string, string][]
  snapshot: string | null
}

/** Refs, stash entries and uncommitted files: every ref gets a second name that git's own collection respects. */
export function gitClass(at: { git: Git; snapshots: Snapshots; run: RunId }): BackupClass<GitTarget> {
  const { git, snapshots, run } = at
  const present = async (refs: readonly string[]): Promise<[string, string][]> => {
    const { text } = await git.call(['for-each-ref', '--format=%(refname) %(objectname)', ...refs])
    const stashed = await git.call(['reflog', 'show', '--format=%H', 'refs/stash', '--'], { answers: [0, 128] })
    return [
      ...text
        .split('\n')
        .filter(Boolean)
        .map(line => line.split(' ') as [string, string]),
      ...stashed.text
        .split('\n')
        .filter(Boolean)
        .map((oid, i): [string, string] => [`refs/stash-entries/${i}`, oid]),
    ]
  }
  const headOf = async (): Promise<string | null> => {
    const { text, exit } = await git.call(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { answers: [0, 1, 128] })
    return exit === 0 ? text.trim() : null
  }
  const changesIn = async (root: string): Promise<string[]> => {
    const base = await headOf()
    const committed = base === null ? new Map<string, TreeEntry>() : withoutSubmodules(await readTree(git, base))
    return changesBetween(committed, (await snapshots.look(root, base)).entries).map(({ kind, path }) => `${kind} ${path}`)
  }
  const self: BackupClass<GitTarget> = {
    async dryRun({ refs, root }) {
      const [moving, lost] = await Promise.all([present(refs), changesIn(root)])
      return {
        command: 'list refs and uncommitted files',
        lines: [...moving.map(pair => pair.join(' ')), ...lost],
        amount: moving.length + lost.length,
      }
    },
    async back({ refs, root }, { id, folder }) {
      const kept: Kept = { refs: await present(refs), snapshot: null }
      const stdin = kept.refs.map(([ref, oid]) => `create ${nameIn(id, ref)} ${oid}\n`).join('')
      await git.call(['update-ref', '--stdin'], { stdin })
      kept.snapshot = (await snapshots.take({ run, root, base: await headOf(), reason: `backup ${id}` })).ref
      writeFileAtomically(join(folder, 'refs.json'), `${JSON.stringify(kept)}\n`, { private: true })
      const restore_command = `git update-ref <ref> refs/qed/backups/${id}/<ref>`
      return { kind: 'git-ref', class: 'git', path: folder, sha256: sha256(JSON.stringify(kept.refs)), restore_command, source: root }
    },
    async prove({ id, path, sha256: digest, source }, scratch) {
      const kept = keptIn(path)
      const found = await git.call(['for-each-ref', '--format=%(refname) %(objectname)', `refs/qed/backups/${id}/`])
      const there = new Set(found.text.split('\n'))
      const missing = kept.refs.filter(([ref, oid]) => !there.has(`${nameIn(id, ref)} ${oid}`)).map(([ref]) => ref)
      if (missing.length > 0 || sha256(JSON.stringify(kept.refs)) !== digest) throw new BackupUnproven(source, missing)
      // Walks every object that the refs need; a missing one fails the call.
      if (kept.refs.length > 0) await git.call(['rev-list', '--objects', '--quiet', ...kept.refs.map(([ref]) => nameIn(id, ref))])
      if (kept.snapshot === null) return
      await restoreNew({ git, snapshots, ref: kept.snapshot, into: scratch })
      const saved = await snapshots.read(kept.snapshot)
      const differs = changesBetween((await snapshots.look(scratch, saved.base)).entries, saved.files)
      if (differs.length > 0)
        throw new BackupUnproven(
          source,
          differs.map(change => change.path),
        )
    },
    async restore({ path }, into) {
      const { snapshot } = keptIn(path)
      if (snapshot === null) return []
      const { plan } = await restoreNew({ git, snapshots, ref: snapshot, into })
      return plan.changes.map(change => change.path)
    },
    async forget(id) {
      const { text } = await git.call(['for-each-ref', '--format=delete %(refname)', `refs/qed/backups/${id}/`])
      if (text !== '') await git.call(['update-ref', '--stdin'], { stdin: text })
    },
  }
  return self
}

// A submodule is a commit of another repository; a folder that is looked at holds its files instead.
function withoutSubmodules(files: Map<string, TreeEntry>): Map<string, TreeEntry> {
  return new Map([...files].filter(([, { mode }]) => mode !== '160000'))
}

function nameIn(id: string, ref: string): string {
  return `refs/qed/backups/${id}/${ref.replace(/^refs\//, '')}`
}

function keptIn(folder: string): Kept {
  return JSON.parse(readFileIfThere(join(folder, 'refs.json')) ?? '{"refs":[],"snapshot":null}') as Kept
}
