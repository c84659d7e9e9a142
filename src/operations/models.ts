import { resolve } from 'node:path'
import * as z from 'zod'
import { FAILURES } from '../models/failure.ts'
import type { ListedModel } from '../models/list.ts'
import { testModel } from '../models/test-model.ts'
import { FilePath } from './file-path.ts'
import { operation } from './operation.ts'
import type { Paint } from './paint.ts'

const Listed = () =>
  z.strictObject({
    alias: z.string(),
    protocol: z.string().nullable(),
    model: z.string().nullable(),
    context: z.int().nullable(),
    local: z.boolean(),
    ready: z.boolean(),
    why: z.string().optional(),
    scripted: z.literal(true).optional(),
  })

const list = operation({
  name: 'models.list',
  summary: 'Models that can be used here: of the settings, of this machine, and of providers whose key is set',
  when: 'Use to find the name to give as model, and why one is not ready.',
  effect: 'read',
  mcp: 'full',
  input: z.strictObject({ all: z.boolean().default(false).describe('Also those of the catalogue whose key is missing') }),
  output: () => z.strictObject({ items: z.array(Listed()) }),
  examples: ['models list', 'models list --all --json'],
  run: async (app, { all }) => ({ items: await (await app.models()).list({ all }) }),
  human: ({ items }, paint) => table(items, paint),
})

const test = operation({
  name: 'models.test',
  summary: 'Ask a model one tiny question with one tool: does it answer, how soon, does it call tools',
  when: 'Use to see whether a model works before a run depends on it; it costs a few tokens.',
  effect: 'execute',
  mcp: 'full',
  openWorld: true,
  long: true,
  exitCodes: [3, 9],
  positional: ['alias'],
  input: z.strictObject({
    alias: z.string().min(1).optional().describe('An alias, <provider>/<model> or script:<file>; left out, the setting model'),
  }),
  output: () =>
    z.strictObject({
      ok: z.boolean(),
      alias: z.string(),
      model: z.string(),
      first_token_ms: z.number().nullable(),
      tools: z.boolean(),
      scripted: z.literal(true).optional(),
      error: z
        .strictObject({
          code: z.enum(FAILURES),
          message: z.string(),
          status: z.int().optional(),
          retry_after_ms: z.number().optional(),
        })
        .optional(),
    }),
  examples: ['models test anthropic/claude-sonnet-4-5', 'models test fast --json'],
  run: async (app, { alias }, { signal, terminal }) => {
    const vault = terminal && (async (name: string) => (await app.vault(() => terminal.askHidden('Passphrase of the vault: '))).value(name))
    const opened = await (await app.models()).open(alias ?? null, { vault })
    const { spec, model } = opened
    const result = await testModel(opened, { clock: app.clock, signal })
    return { ...result, alias: spec.name, model: spec.model, ...(model.scripted && { scripted: true as const }) }
  },
  failed: ({ ok }) => !ok,
  human: ({ ok, alias, first_token_ms, tools, scripted, error }, paint) => {
    const name = `${paint.bold(alias)}${scripted ? paint.dim(' (scripted, no model)') : ''}`
    if (!ok) {
      const failed = `${paint.bad(`${paint.glyph.fail} ${error?.code ?? 'failed'}`)}  ${name}: ${error?.message ?? ''}`
      return `${failed}\n${paint.glyph.arrow} ${AFTER[error?.code ?? ''] ?? 'Try it again; if it stays so, look at the model provider.'}`
    }
    return `${paint.good(`${paint.glyph.ok} answers`)}  ${name}: first token after ${first_token_ms ?? '?'} ms, ${tools ? 'calls tools' : 'called no tool'}`
  },
})

/** What helps, by the kind of failure. */
const AFTER: Readonly<Record<string, string>> = {
  auth: 'The key was refused: put the right one where it is read from, the environment variable or the vault.',
  missing: 'Look at the name of the model and at its base_url: qed config list.',
  rate: 'Wait, or ask for a higher limit at the model provider.',
  gateway: 'Look whether the server runs, and at base_url: qed config list.',
}

const refresh = operation({
  name: 'models.refresh',
  summary: 'Take context sizes and prices of models from a JSON file, over the embedded ones',
  effect: 'write',
  idempotent: true,
  mcp: 'never',
  exitCodes: [3],
  positional: ['file'],
  input: z.strictObject({ file: FilePath.describe('{ "at": day, "models": [{ provider, model, context, reply?, prices? }] }') }),
  output: () => z.strictObject({ at: z.string(), models: z.int() }),
  examples: ['models refresh models.json'],
  run: async (app, { file }) => {
    const { at, models } = (await app.models()).refresh(resolve(app.cwd, file))
    return { at, models: models.length }
  },
  human: ({ at, models }, paint) => `${paint.good(`${paint.glyph.ok} refreshed`)}  ${models} models known, newest figures of ${at}`,
})

export const operations = [list, test, refresh] as const

function table(items: readonly ListedModel[], paint: Paint): string {
  if (items.length === 0) {
    return 'No model is set up here. Set a key such as ANTHROPIC_API_KEY, start Ollama, or see docs/models.md. qed models list --all shows what is known.'
  }
  const width = Math.max(...items.map(({ alias }) => alias.length))
  return items.map(item => line(item, width, paint)).join('\n')
}

function line({ alias, protocol, context, local, ready, why, scripted }: ListedModel, width: number, paint: Paint): string {
  const facts = [
    protocol ?? '',
    context === null ? '' : `${Math.round(context / 1000)}k`,
    scripted ? 'scripted, no model' : local ? 'local' : '',
  ]
  const state = ready ? paint.good(`${paint.glyph.ok} ready    `) : paint.bad(`${paint.glyph.fail} not ready`)
  return `${state} ${alias.padEnd(width)}  ${paint.dim(facts.filter(Boolean).join(' '))}${why === undefined ? '' : `  ${why}`}`
}
