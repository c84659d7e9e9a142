import { QedError, Usage } from '../../kernel/errors.ts'

/** There is nothing to prove where git does not know any files. */
export class OutsideRepository extends Usage {
  constructor(folder: string) {
    super(`${folder} is not in a git repository, and a proof compares two trees of one.`, {
      details: { folder },
      next: { command: 'git init', why: 'Commit the state before the work; then prove the work.' },
    })
  }
}

/** A proof compares the work with a state before it, and there is none. */
export class NoBase extends Usage {
  constructor(why: 'no-commit' | 'first-commit') {
    const reason =
      why === 'no-commit'
        ? 'This repository has no commit yet'
        : 'HEAD is the first commit, it has no upstream, and nothing has changed since'
    super(`${reason}, so there is no state before the work to compare with.`, {
      details: { why },
      next:
        why === 'no-commit'
          ? { command: 'git commit', why: 'Commit the state before the work; then prove the work.' }
          : { command: 'qed prove --base <commit> -- <command>', why: 'Name the state before the work, or prove before you commit.' },
    })
  }
}

export class RevisionUnknown extends QedError {
  readonly code = 'invalid_input'
  constructor(revision: string) {
    super(`There is no commit ${revision} in this repository.`, {
      details: { revision },
      next: { command: 'git log --oneline --all', why: 'It lists the commits there are; a shallow clone lacks the older ones.' },
    })
  }
}
