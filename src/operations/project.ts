import * as z from 'zod'
import { visible } from '../kernel/visible.ts'
import { PolicyDigestUnknown } from '../project/errors.ts'
import { configText } from '../project/mcp-servers.ts'
import { projectPolicyTexts } from '../project/policy-files.ts'
import { isTrusted, trust as recordTrust } from '../project/trust.ts'
import { operation } from './operation.ts'

const trust = operation({
  name: 'project.trust',
  summary: "Show the project's files that need trust, or trust the one with this digest",
  effect: 'write',
  personOnly: true,
  idempotent: true,
  mcp: 'never',
  exitCodes: [3, 4, 8, 9],
  positional: ['digest'],
  input: z.strictObject({
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'expected the SHA-256 that qed project trust shows')
      .optional()
      .describe('SHA-256 of the text to trust; left out, the texts are shown and nothing is recorded'),
  }),
  output: () =>
    z.strictObject({
      files: z.array(z.strictObject({ file: z.string(), digest: z.string(), trusted: z.boolean(), text: z.string() })),
      recorded: z.string().nullable(),
    }),
  examples: ['project trust', `project trust ${'0'.repeat(64)}`],
  run: async (app, { digest }) => {
    const project = app.project()
    const texts = [...projectPolicyTexts(project), ...configText(app.configPlaces())]
    const personal = await app.personalStore()
    const chosen = texts.find(text => text.digest === digest)
    if (digest !== undefined && !chosen)
      throw new PolicyDigestUnknown(
        digest,
        texts.map(({ file, digest }) => ({ file, digest })),
      )
    if (chosen) recordTrust(personal, { project: project.id, file: chosen.file, digest: chosen.digest }, app.clock)
    const files = texts.map(text => ({ ...text, trusted: isTrusted(personal, project.id, text.digest) }))
    return { files, recorded: chosen?.file ?? null }
  },
  human: ({ files, recorded }, paint) => {
    if (recorded !== null) return `${paint.good(`${paint.glyph.ok} trusted`)}  ${recorded}`
    if (files.length === 0) return 'This project has no file that needs trust.'
    return files
      .map(({ file, digest, trusted, text }) => {
        const state = trusted ? paint.good(`${paint.glyph.ok} trusted`) : paint.careful(`${paint.glyph.warn} not trusted`)
        const next = trusted ? [] : [paint.dim(`Trust exactly this text: qed project trust ${digest}`)]
        return [`${paint.bold(file)}  ${state}`, visible(text).trimEnd(), ...next].join('\n')
      })
      .join('\n\n')
  },
})

export const operations = [trust] as const
