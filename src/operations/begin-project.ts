import { resolve } from 'node:path'
import type { App } from '../app.ts'
import { carryOutInit, planInit } from '../project/init.ts'
import type { Project } from '../project/root.ts'

/** Makes the git repository around the folder a project, as far as it is not one yet. */
export async function beginProject(
  app: App,
  { name, least = false, startNew = false }: { name?: string | undefined; least?: boolean; startNew?: boolean } = {},
): Promise<{ project: Project; written: string[]; created: boolean }> {
  const { project, written } = carryOutInit(planInit(resolve(app.cwd), { name, least, clock: app.clock }))
  const created = written.includes('.qed/project.json')
  // A project that begins here has lost no store, whatever repository lay at this path before.
  const { log, db } = await app.projectStore({ startNew: startNew || created })
  // Also where an earlier beginning was ended before it could say so.
  db.transaction(() => {
    if (log.list({ types: ['project.initialised'] }, 1).length > 0) return
    log.append('project', 'project.initialised', { project: project.id, name: project.name, files: written })
  })
  if (created) (await app.personalStore()).log.append('person', 'project.seen', { project: project.id, root: project.root })
  return { project, written, created }
}
