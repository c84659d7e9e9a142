import type { Git } from '../git/git.ts'

/** A saved state, and whose doing it is that it differs from the one before it. */
export interface Step {
  by: 'run' | 'other'
  tree: string
}

/** Files that are otherwise at the last step than at the first because of the run. What it took back itself is none of them, and
 *  what somebody else changed meanwhile is not its doing. */
export async function ownChanges(git: Git, steps: readonly Step[]): Promise<string[]> {
  const [first, ...later] = stretches(steps)
  const last = later.at(-1)
  if (!first || !last) return []
  const own = new Set<string>()
  let before = first
  for (const step of later) {
    if (step.by === 'run') for (const path of await between(git, before, step)) own.add(path)
    before = step
  }
  const all = later.length === 1 ? [...own] : await between(git, first, last)
  return all.filter(path => own.has(path))
}

/** What followed each other by the same doing is one step; one that changed nothing is none. */
function stretches(steps: readonly Step[]): Step[] {
  const found: Step[] = []
  for (const step of steps) {
    const before = found.at(-1)
    if (before?.tree === step.tree) continue
    // The first is what there was before, whoever made it.
    if (found.length > 1 && before?.by === step.by) found.pop()
    found.push(step)
  }
  return found
}

async function between(git: Git, from: Step, to: Step): Promise<string[]> {
  const { text } = await git.call(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from.tree, to.tree])
  return text.split('\0').filter(path => path !== '')
}
