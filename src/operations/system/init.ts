import { resolve } from 'node:path'
import * as z from 'zod'
import { visibleLine } from '../../kernel/visible.ts'
import { planInit } from '../../project/init.ts'
import { readProject } from '../../project/root.ts'
import { beginProject } from '../begin-project.ts'
import { operation } from '../operation.ts'

const init = operation({
  name: 'init',
  summary: 'Make this git repository a QED project; running it again only adds what is missing',
  effect: 'write',
  idempotent: true,
  mcp: 'never',
  exitCodes: [3, 9],
  input: z.strictObject({
    name: z.string().trim().min(1).max(100).optional().describe('Name of the project; default: name of the folder'),
    new_store: z.boolean().default(false).describe('Start a new log where the old store is gone'),
    dry_run: z.boolean().default(false).describe('Show what would be written and change nothing'),
  }),
  output: () =>
    z.strictObject({
      project: z.strictObject({ id: z.string(), root: z.string() }).nullable(),
      created: z.boolean(),
      files: z.array(z.string()),
      dry_run: z.boolean(),
    }),
  examples: ['init', 'init --dry-run --json', 'init --name payments'],
  run: async (app, { name, new_store, dry_run }) => {
    if (dry_run) {
      const plan = planInit(resolve(app.cwd), { name, clock: app.clock })
      const before = readProject(plan.root)
      const files = plan.files.map(file => file.path)
      return { project: before && { id: before.id, root: plan.root }, created: before === null, files, dry_run }
    }
    const { project, written, created } = await beginProject(app, { name, startNew: new_store })
    return { project: { id: project.id, root: project.root }, created, files: written, dry_run }
  },
  human: ({ project, created, files, dry_run }, paint) => {
    const files_ = files.map(file => `  ${paint.glyph.bullet} ${file}`)
    if (dry_run) return files.length === 0 ? 'Nothing to do: everything is there.' : ['Would write:', ...files_].join('\n')
    const head = `${paint.good(`${paint.glyph.ok} ${created ? 'initialised' : 'already a project'}`)}  ${visibleLine(project?.root ?? '')}`
    const next = created ? [paint.dim('Next: qed doctor')] : []
    return [head, ...files_, ...next].join('\n')
  },
})

export const operations = [init] as const
