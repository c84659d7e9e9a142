import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isId, type ProjectId } from '../kernel/ids.ts'
import { parseJson } from '../kernel/json.ts'
import { readFileIfThere } from '../store/files.ts'
import { ProjectBroken, ProjectUnknown } from './errors.ts'

/** A project: a git repository with a `.qed/` folder that says who it is. */
export interface Project {
  id: ProjectId
  name: string
  root: string
  folder: string
}

/** The root of the git repository around a folder, by its real path; null where there is none. A worktree or a submodule has
 *  a `.git` file instead of a folder and counts as a repository of its own. */
export function findRepository(from: string): string | null {
  for (let folder = realFolder(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return null
  }
}

/** The project around a folder, or null where `qed init` was never run. */
export function findProject(from: string): Project | null {
  const root = findRepository(from)
  return root === null ? null : readProject(root)
}

export function requireProject(from: string): Project {
  const project = findProject(from)
  if (!project) throw new ProjectUnknown(resolve(from))
  return project
}

export function readProject(root: string): Project | null {
  const file = join(root, '.qed', 'project.json')
  const text = readFileIfThere(file)
  if (text === null) return null
  // By hand: this is read by every command, and the first schema of a process costs more than reading the file.
  const { id, name } = (parseJson(text) ?? {}) as { id?: unknown; name?: unknown }
  if (!isId('prj', id) || typeof name !== 'string' || name === '') throw new ProjectBroken(file)
  return { id, name, root, folder: join(root, '.qed') }
}

function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
