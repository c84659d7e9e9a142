import * as z from 'zod'
import { idSchema } from '../kernel/ids.ts'
import { listPlaces } from '../sandbox/place/places.ts'
import { operation } from './operation.ts'

const list = operation({
  name: 'place.list',
  summary: 'Folders in which runs work, oldest first',
  when: 'Use it to see which runs still hold a folder and where it is.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  input: z.strictObject({
    project_id: idSchema('prj').optional().describe('Of this project on this machine; default: the one here'),
    ended: z.boolean().optional().describe('Only those whose run has ended, or only the others'),
  }),
  output: () =>
    z.strictObject({
      items: z.array(
        z.strictObject({
          run: z.string(),
          kind: z.enum(['worktree', 'clone']),
          base: z.string(),
          made_at: z.string(),
          ended_at: z.string().nullable(),
          empty_submodules: z.array(z.string()),
          path: z.string(),
        }),
      ),
    }),
  examples: ['place list', 'place list --ended --json', 'place list --project-id prj_01JZZZZZZZZZZZZZZZZZZZZZZZ'],
  run: async (app, { project_id, ended }) => {
    const { state } = await app.sandbox()
    const wanted = listPlaces(state, project_id ?? app.project().id).filter(
      place => ended === undefined || (place.ended_at !== null) === ended,
    )
    return {
      items: wanted.map(({ run, kind, base, made_at, ended_at, empty_submodules, path }) => ({
        run,
        kind,
        base,
        made_at,
        ended_at,
        empty_submodules,
        path,
      })),
    }
  },
})

const clean = operation({
  name: 'place.clean',
  summary: 'Remove the place of an ended run after everything in it is saved',
  effect: 'write',
  mcp: 'never',
  long: true,
  exitCodes: [3, 8],
  positional: ['run'],
  input: z.strictObject({ run: z.string().min(1).describe('The run whose place it is') }),
  output: () =>
    z.strictObject({
      run: z.string(),
      snapshot: z.string().nullable(),
      attic: z.string().nullable(),
      files: z.int(),
      left_out: z.array(z.string()),
    }),
  examples: ['place clean run_01JZZZZZZZZZZZZZZZZZZZZZZZ'],
  run: async (app, { run }) => {
    const { places, tidy } = await app.keeping()
    const saved = await places.clean(run)
    const { log } = await app.projectStore()
    log.append('sandbox', 'place.cleaned', { run, snapshot: saved.snapshot, attic: saved.attic })
    await tidy()
    return saved
  },
})

export const operations = [list, clean] as const
