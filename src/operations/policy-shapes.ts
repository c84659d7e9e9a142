import * as z from 'zod'
import { CATEGORIES, LAYERS, SHELL_CLASSES, VERDICTS } from '../policy/types.ts'

// What the questions about policy answer with.

const ACCESSES = ['read', 'list', 'write', 'create', 'delete', 'move', 'link'] as const
export const AccessName = () => z.enum(ACCESSES).describe('What would be done to the path')
export const EntryType = () => z.enum(['file', 'folder', 'link', 'device', 'fifo', 'socket']).nullable()
const Flags = () => z.array(z.string())
const RuleRef = () => z.strictObject({ layer: z.enum(LAYERS), id: z.string() })
const Word = () => z.strictObject({ text: z.string(), kind: z.enum(['static', 'dynamic', 'glob']) })

/** What of a folder is not meant. */
const narrowing = () => ({
  excludes: z.array(z.string()).optional(),
  only: z.array(z.string()).optional(),
  partial: z.boolean().optional(),
  skipsIgnored: z.boolean().optional(),
})

const FacetShape = () =>
  z.strictObject({
    category: z.enum(CATEGORIES),
    verb: z.string(),
    segment: z.int().optional(),
    class: z.enum(SHELL_CLASSES).optional(),
    argv: z.array(z.string()).optional(),
    path: z.string().optional(),
    real: z.string().optional(),
    binding: z.strictObject({ device: z.number(), inode: z.number(), type: EntryType() }).optional(),
    access: z.enum(ACCESSES).optional(),
    recursive: z.boolean().optional(),
    host: z.string().optional(),
    tool: z.string().optional(),
    secret: z.string().optional(),
    flags: Flags(),
    inferred: z.boolean().optional(),
    ambiguity: z.enum(['unknown-grammar', 'dynamic-word', 'ambiguous']).optional(),
    ...narrowing(),
    verdict: z.enum(VERDICTS),
    rule: RuleRef(),
  })

export const DecisionShape = () =>
  z.strictObject({
    verdict: z.enum(VERDICTS),
    code: z.string(),
    reason: z.string(),
    rule: RuleRef(),
    facets: z.array(FacetShape()),
    trace: z.array(
      z.strictObject({ facet: z.int(), layer: z.enum(LAYERS), rule: z.string(), answer: z.enum([...VERDICTS, 'untrusted', 'remembered']) }),
    ),
    flags: Flags(),
    rememberable: z.boolean(),
    digest: z.string(),
  })

export const OfferShape = () =>
  z.strictObject({
    answer: z.enum(['once', 'run', 'project', 'reject']),
    rules: z.array(z.unknown()).optional(),
    file: z.string().optional(),
    would_newly_allow: z.array(z.string()).optional(),
  })

export const SegmentShape = () =>
  z.strictObject({
    index: z.int(),
    text: z.string(),
    range: z.strictObject({ start: z.int(), end: z.int() }),
    program: z.string(),
    argv: z.array(Word()),
    via: z.enum(['top', 'substitution', 'subshell', 'wrapper', 'heredoc', 'exec']),
    wrappers: z.array(z.string()),
    assignments: z.array(z.strictObject({ name: z.string(), value: Word() })),
    redirects: z.array(z.strictObject({ operator: z.string(), target: Word().nullable(), fd: z.int().nullable() })),
    cwd: z.array(z.string()).nullable(),
    class: z.enum(['read-only', 'file-effect', 'network', 'destructive', 'other']),
    category: z.enum(CATEGORIES),
    flags: Flags(),
    paths: z.array(
      z.strictObject({
        path: z.string(),
        access: z.enum(ACCESSES),
        recursive: z.boolean().optional(),
        glob: z.boolean().optional(),
        inferred: z.boolean().optional(),
        ...narrowing(),
      }),
    ),
  })
