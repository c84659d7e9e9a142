import * as z from 'zod'
import { version } from '../../kernel/version.ts'
import { projectStore } from '../../store/kinds.ts'
import { schemaVersion } from '../../store/migrations.ts'
import { operation } from '../operation.ts'

const versionOperation = operation({
  name: 'version',
  summary: 'Versions of QED and of what it runs on',
  when: 'Use when reporting a problem, or before relying on what only a newer QED can do.',
  effect: 'read',
  mcp: 'full',
  input: z.strictObject({}),
  output: () =>
    z.strictObject({
      name: z.literal('qed'),
      version: z.string(),
      node: z.string(),
      sqlite: z.string(),
      platform: z.string(),
      arch: z.string(),
      store_schema: z.int(),
    }),
  examples: ['version', 'version --json'],
  run: () => ({
    name: 'qed' as const,
    version,
    node: process.versions.node,
    sqlite: process.versions['sqlite'] ?? 'unknown',
    platform: process.platform,
    arch: process.arch,
    store_schema: schemaVersion(projectStore),
  }),
  human: about =>
    `qed ${about.version}  (node ${about.node}, sqlite ${about.sqlite}, ${about.platform} ${about.arch}, store schema ${about.store_schema})`,
})

export const operations = [versionOperation] as const
