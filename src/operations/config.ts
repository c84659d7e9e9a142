import * as z from 'zod'
import { visibleLine } from '../kernel/visible.ts'
import { getSetting, listSettings } from '../project/config/config.ts'
import { configJsonSchema } from '../project/config/schema.ts'
import { setSetting } from '../project/config/set-setting.ts'
import { operation } from './operation.ts'
import type { Paint } from './paint.ts'

const Setting = () =>
  z.strictObject({
    key: z.string(),
    value: z.json(),
    source: z.enum(['flag', 'env', 'project', 'personal', 'default']),
    file: z.string().optional(),
  })
type Setting = z.infer<ReturnType<typeof Setting>>

const get = operation({
  name: 'config.get',
  summary: 'The value of a setting and where it comes from',
  when: 'Use before relying on a setting: it tells the value in force and which file, variable or flag decides it.',
  effect: 'read',
  mcp: 'full',
  positional: ['key'],
  input: z.strictObject({
    key: z.string().default('').describe('A key such as shell.timeout_ms, or a group such as shell; left out, everything'),
  }),
  output: Setting,
  examples: ['config get shell.timeout_ms', 'config get shell --json'],
  run: (app, { key }) => getSetting(app.configPlaces(), key),
  human: (setting, paint) => settingLine(setting, paint, setting.key.length),
})

const list = operation({
  name: 'config.list',
  summary: 'Every setting that is in force, with its source',
  when: 'Use for an overview of all settings; config.get is cheaper for one.',
  effect: 'read',
  mcp: 'full',
  input: z.strictObject({}),
  output: () => z.strictObject({ items: z.array(Setting()) }),
  examples: ['config list', 'config list --json'],
  run: app => ({ items: listSettings(app.configPlaces()) }),
  human: ({ items }, paint) =>
    items.map(setting => settingLine(setting, paint, Math.max(...items.map(item => item.key.length)))).join('\n'),
})

const set = operation({
  name: 'config.set',
  summary: 'Set one key in the project or personal file, or remove it with null; comments stay',
  effect: 'write',
  idempotent: true,
  mcp: 'never',
  exitCodes: [3, 4, 9],
  positional: ['key', 'value'],
  input: z.strictObject({
    key: z.string().min(1).describe('A key of qed config list, or models.<alias>.<field>'),
    value: z.json().describe('The new value; null takes the key out of the file'),
    scope: z.enum(['project', 'personal']).default('project').describe('Which file to change'),
    dry_run: z.boolean().default(false).describe('Show the change and write nothing'),
  }),
  output: () => Setting().extend({ previous: z.json(), dry_run: z.boolean() }),
  examples: ['config set shell.timeout_ms 60000', 'config set ui.color never --scope personal', 'config set mode null'],
  run: async (app, { key, value, scope, dry_run }) => {
    const places = app.configPlaces()
    const store = scope === 'project' ? await app.projectStore() : await app.personalStore()
    return { ...setSetting(places, { key, value: value === 'null' ? null : value, scope, dryRun: dry_run }, store), dry_run }
  },
  human: ({ key, value, previous, file, dry_run }, paint) =>
    shown(value) === shown(previous)
      ? `nothing to do  ${key}: ${shown(value)}  ${paint.dim(file ?? '')}`
      : `${dry_run ? 'would set' : paint.good(`${paint.glyph.ok} set`)}  ${key}: ${paint.dim(shown(previous))} ${paint.glyph.arrow} ${shown(value)}  ${paint.dim(file ?? '')}`,
})

const schema = operation({
  name: 'config.schema',
  summary: 'JSON Schema of a config file, for editors',
  when: 'Use to learn which keys exist and what each takes, also when a config file is broken.',
  effect: 'read',
  mcp: 'full',
  input: z.strictObject({}),
  output: () => z.record(z.string(), z.json()),
  examples: ['config schema --json > qed.schema.json'],
  run: () => configJsonSchema(),
  human: output => JSON.stringify(output, null, 2),
})

export const operations = [get, list, set, schema] as const

function settingLine({ key, value, source, file }: Setting, paint: Paint, width: number): string {
  return `${paint.bold((key || 'all').padEnd(width))}  ${shown(value)}  ${paint.dim(file ? `${source}: ${file}` : source)}`
}

function shown(value: unknown): string {
  return visibleLine(value === null ? '(not set)' : typeof value === 'string' ? value : JSON.stringify(value))
}
