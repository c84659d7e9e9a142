import * as z from 'zod'
import { CATEGORIES, type Category, VERDICTS } from '../types.ts'

const text = () => z.string().min(1).max(4096)
const oneOrMore = <T extends z.ZodType>(item: T) =>
  z.union([item, z.array(item).min(1)]).transform(value => (Array.isArray(value) ? value : [value]) as z.output<T>[])
const texts = () => oneOrMore(text())

const CommandShape = () =>
  z
    .strictObject({
      program: text().optional(),
      subcommand: text().optional(),
      flags_all: texts().optional(),
      flags_any: texts().optional(),
      args_any: texts().optional(),
      /** The exact words and nothing else, for words that a pattern cannot spell. */
      argv: z.array(z.string()).min(1).optional(),
    })
    .refine(shape => (shape.argv === undefined) !== (shape.program === undefined), 'give either program or argv')
    .refine(shape => shape.argv === undefined || Object.keys(shape).length === 1, 'argv stands alone')

export const CategoryName = () => z.preprocess(value => (value === 'host-tool' ? 'provider-tool' : value), z.enum(CATEGORIES))
const VerdictName = () => z.enum(VERDICTS)

export const Rule = () =>
  z
    .strictObject({
      id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/, 'letters, digits, dots and dashes'),
      effect: VerdictName(),
      category: CategoryName(),
      reason: z.string().max(500).optional(),
      command: oneOrMore(z.union([text(), CommandShape()])).optional(),
      path: texts().optional(),
      except: texts().optional(),
      host: texts().optional(),
      tool: texts().optional(),
      secret: texts().optional(),
      verb: texts().optional(),
      when: z.strictObject({ agent: texts().optional(), surface: texts().optional(), mode: texts().optional() }).optional(),
      match: z.array(text()).default([]),
      not_match: z.array(text()).default([]),
    })
    .refine(rule => rule.except === undefined || rule.path !== undefined, 'except needs path')
    .refine(
      rule => [rule.command, rule.path, rule.host, rule.tool, rule.secret, rule.verb].some(selector => selector !== undefined),
      'give at least one of command, path, host, tool, secret, verb',
    )

const CategoryMap = () => z.partialRecord(z.enum([...CATEGORIES, 'host-tool']), VerdictName()).transform(withOwnNames)

export const PolicyFile = () =>
  z.strictObject({
    $schema: z.string().optional(),
    version: z.literal(1),
    categories: CategoryMap().default({}),
    rules: z.array(Rule()).max(1000).default([]),
    sensitive: z.array(text()).default([]),
  })

export type Rule = z.output<ReturnType<typeof Rule>>
export type RuleInput = z.input<ReturnType<typeof Rule>>
export type CommandSelector = NonNullable<Rule['command']>[number]
export type PolicyFile = z.output<ReturnType<typeof PolicyFile>>

function withOwnNames(map: Partial<Record<string, (typeof VERDICTS)[number]>>): Partial<Record<Category, (typeof VERDICTS)[number]>> {
  const { 'host-tool': hostTool, ...own } = map
  return hostTool === undefined ? own : { 'provider-tool': hostTool, ...own }
}
