import { realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Clock, timestamp } from '../kernel/clock.ts'
import { newId } from '../kernel/new-id.ts'
import { EMPTY_SACRED_FILE } from '../policy/paths/sacred-file.ts'
import { readFileIfThere, writeFileAtomically } from '../store/files.ts'
import { emptyConfig } from './config/config.ts'
import { configJsonSchema } from './config/schema.ts'
import { NotARepository } from './errors.ts'
import { LOCAL_NAMES } from './local-names.ts'
import { findRepository, type Project, readProject } from './root.ts'

export interface InitPlan {
  root: string
  /** Files that are missing, by path from the root. */
  files: { path: string; text: string; refresh: boolean }[]
}

export interface InitOptions {
  name?: string | undefined
  /** Only what a project cannot be without; what is made from the program itself can come later. */
  least?: boolean
  clock: Clock
}

/** What `init` would write here. Changes nothing. */
export function planInit(folder: string, options: InitOptions): InitPlan {
  const root = findRepository(folder)
  if (root === null) throw new NotARepository(folder)
  const existing = readProject(root)
  const id = existing?.id ?? newId('prj', options.clock)
  const project = { id, name: options.name ?? basename(realpathSync(root)), created_at: timestamp(options.clock) }
  const files = [
    { path: '.qed/.gitignore', text: `${LOCAL_NAMES.join('\n')}\n`, refresh: false },
    { path: '.qed/project.json', text: `${JSON.stringify(project, null, 2)}\n`, refresh: false },
    { path: '.qed/config.json', text: emptyConfig('project'), refresh: false },
    { path: '.qed/sacred-scopes.yaml', text: EMPTY_SACRED_FILE, refresh: false },
    ...(options.least
      ? []
      : [{ path: '.qed/config.schema.json', text: `${JSON.stringify(configJsonSchema(), null, 2)}\n`, refresh: true }]),
  ]
  return { root, files: files.filter(file => needsWriting(join(root, file.path), file)) }
}

/** Carries a plan out. A file that appeared meanwhile is left as it is, so two that initialise at once agree. */
export function carryOutInit(plan: InitPlan): { project: Project; written: string[] } {
  const written = plan.files
    .filter(file => writeFileAtomically(join(plan.root, file.path), file.text, { onlyIfMissing: !file.refresh, quick: true }))
    .map(file => file.path)
  const project = readProject(plan.root)
  if (!project) throw new Error(`${plan.root}/.qed/project.json vanished while it was made.`)
  return { project, written }
}

function needsWriting(path: string, file: { text: string; refresh: boolean }): boolean {
  const present = readFileIfThere(path)
  return present === null || (file.refresh && present !== file.text)
}
