import * as z from 'zod'
import type { App } from '../../app.ts'
import { visibleLine } from '../../kernel/visible.ts'
import { getSetting } from '../../project/config/config.ts'
import { findRepository } from '../../project/root.ts'
import { readServerFile } from '../../project/server-file.ts'
import { operation } from '../operation.ts'

const Next = z.strictObject({ command: z.string(), why: z.string() })

const status = operation({
  name: 'status',
  summary: 'Where the project stands and what to do next',
  when: 'Use first in a session: it tells which project this is and the most urgent next step.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [9],
  input: z.strictObject({}),
  output: () =>
    z.strictObject({
      project: z.strictObject({ id: z.string(), name: z.string(), root: z.string() }).nullable(),
      initialised: z.boolean(),
      events: z.strictObject({ count: z.int(), last_at: z.string().nullable() }),
      server: z.strictObject({ pid: z.int(), port: z.int() }).nullable(),
      profile: z.string(),
      budget: z.record(z.string(), z.json()),
      next: z.array(Next).max(3),
    }),
  examples: ['status', 'status --json'],
  run: async app => {
    const project = app.findProject()
    const places = app.configPlaces()
    const settings = {
      profile: getSetting(places, 'profile').value as string,
      budget: getSetting(places, 'budget').value as Record<string, never>,
    }
    if (!project)
      return { project: null, initialised: false, events: { count: 0, last_at: null }, server: null, ...settings, next: [firstStep(app)] }
    const { log } = await app.projectStore()
    const head = log.head()
    const [last] = head ? log.list({ after: head.seq - 1 }, 1) : []
    const server = readServerFile(project.folder)
    return {
      project: { id: project.id, name: project.name, root: project.root },
      initialised: true,
      events: { count: head?.seq ?? 0, last_at: last?.at ?? null },
      server: server && { pid: server.pid, port: server.port },
      ...settings,
      next: [{ command: 'qed doctor', why: 'See whether this machine has what QED needs.' }],
    }
  },
  human: ({ project, events, server, profile, next }, paint) => {
    const lines = project
      ? [
          `${paint.good(paint.glyph.ok)} ${paint.bold(visibleLine(project.name))}  ${paint.dim(visibleLine(project.root))}`,
          `  log      ${events.count} events${events.last_at ? paint.dim(`, last ${events.last_at}`) : ''}`,
          `  server   ${server ? `running on port ${server.port}` : paint.dim('not running')}`,
          `  profile  ${visibleLine(profile)}`,
        ]
      : [`${paint.careful(paint.glyph.warn)} not a QED project yet`]
    return [...lines, ...next.map(({ command, why }) => `${paint.glyph.arrow} ${paint.bold(command)}  ${paint.dim(why)}`)].join('\n')
  },
})

export const operations = [status] as const

function firstStep(app: App): { command: string; why: string } {
  return findRepository(app.cwd)
    ? { command: 'qed init', why: 'Make this repository a QED project.' }
    : { command: 'git init', why: 'QED works on git repositories; then run qed init.' }
}
