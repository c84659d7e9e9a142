import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { idSchema, type ProjectId } from '../kernel/ids.ts'
import { parseJson } from '../kernel/json.ts'
import { readFileIfThere } from '../store/files.ts'
import { ConfigBroken, ProjectUnknown } from './errors.ts'

/** A project: a git repository with a `.qed/` folder that says who it is. */
export interface Project {
  id: ProjectId
  name: string
  root: string
  folder: string
}

export const ProjectFile = z.strictObject({ id: idSchema('prj'), name: z.string().min(1), created_at: z.string() })

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
  const parsed = ProjectFile.safeParse(parseJson(text))
  if (!parsed.success) throw new ConfigBroken(file, 'it does not hold a project id and name')
  return { id: parsed.data.id, name: parsed.data.name, root, folder: join(root, '.qed') }
}

function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
