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
  constructor(why: keyof typeof NO_BASE) {
    const { reason, next } = NO_BASE[why]
    super(`${reason}, so there is no state before the work to compare with.`, { details: { why }, next })
  }
}

const NO_BASE = {
  'no-commit': {
    reason: 'This repository has no commit yet',
    next: { command: 'git add <files> && git commit', why: 'Commit the state before the work; then prove the work.' },
  },
  'first-commit': {
    reason: 'HEAD is the first commit, and nothing has changed since',
    next: { command: 'qed prove --base <commit> -- <command>', why: 'Name the state before the work, or prove before you commit.' },
  },
  shallow: {
    reason: 'Nothing has changed since HEAD, and this shallow clone does not hold the commit before it',
    next: { command: 'git fetch --deepen=1', why: 'It brings one commit more; git fetch --unshallow brings all of them.' },
  },
}

/** What was there before a run would be taken for its work, which may not have left its scope: nothing it does could be proven. */
export class UncommittedOutside extends QedError {
  readonly code = 'not_ready'
  constructor(paths: readonly string[], owned: readonly string[]) {
    const more = paths.length - MOST_NAMED
    const named = [...paths.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ')
    super(`Not committed, and outside the scope ${owned.join(', ')}: ${named}. The proof would take that for the work of this run.`, {
      details: { paths: [...paths] },
      next: { why: 'Commit it, name it in --scope too, or add --isolated, which starts from the last commit.' },
    })
  }
}

const MOST_NAMED = 5

export class RevisionUnknown extends QedError {
  readonly code = 'invalid_input'
  constructor(revision: string) {
    super(`There is no commit ${revision} in this repository.`, {
      details: { revision },
      next: { command: 'git log --oneline --all', why: 'It lists the commits there are; a shallow clone lacks the older ones.' },
    })
  }
}
