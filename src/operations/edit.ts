import * as z from 'zod'
import { type ErrorBody, QedError } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/json.ts'
import { applyEdit } from '../text/edits/apply.ts'
import { planEdits } from '../text/edits/plan.ts'
import { splitReply } from '../text/edits/split.ts'
import { ACTIONS, type EditError, type ErrorCode, FORMATS, MATCHES, type Outcome } from '../text/edits/types.ts'
import { operation } from './operation.ts'

const Format = z.enum(FORMATS)
const Pair = z.strictObject({ search: z.string(), replace: z.string(), all: z.boolean().optional() })
const Warning = () => z.strictObject({ code: z.string(), message: z.string(), edit: z.int().optional() })
const Output = () =>
  z.strictObject({
    content: z.string().nullable(),
    format: Format,
    action: z.enum(ACTIONS),
    path: z.string().optional(),
    changed: z.boolean(),
    edits: z.array(
      z.strictObject({
        index: z.int(),
        match: z.enum(MATCHES),
        line: z.int(),
        old_lines: z.int(),
        new_lines: z.int(),
        count: z.int(),
      }),
    ),
    warnings: z.array(Warning()),
  })

/** An edit that was not applied. Beside the code stands what a model needs to write a better one. */
export class EditRefused extends QedError {
  readonly code: ErrorCode
  readonly error: EditError
  constructor(error: EditError) {
    super(error.message)
    this.code = error.code
    this.error = error
  }

  override toBody(): ErrorBody {
    return { ...super.toBody(), ...(this.error as unknown as JsonObject), code: this.code, message: this.message }
  }
}

function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.kind === 'refused') throw new EditRefused(outcome.error)
  return outcome.value
}

const apply = operation({
  name: 'edit.apply',
  summary: 'The new content of a file after an edit in any format that models write',
  when: 'To see what an edit would make of a text before anything is written.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3, 10],
  input: z.strictObject({
    original: z.string().nullable().describe('The content now; null: there is no such file'),
    edit: z.union([z.string(), Pair, z.array(Pair)]).describe('The edit as the model wrote it, or one or more { search, replace, all }'),
    path: z.string().min(1).optional().describe('Path of the file, relative to the project'),
    format: Format.optional().describe('Read the edit as this format and nothing else'),
  }),
  output: Output,
  examples: [
    'edit apply --original "port = 3000" --edit "s/3000/8080/"',
    'edit apply --original "$(cat app.js)" --edit "$(cat reply.txt)" --json',
  ],
  run: (_, input) => valueOf(applyEdit(input)),
  human: ({ content, action, path, edits }, paint) =>
    content === null
      ? paint.dim(`${path ?? 'The file'}: ${action}`)
      : `${paint.dim(`${path === undefined ? '' : `${path}: `}${action}, ${edits.map(({ match, line }) => `${match} at line ${line}`).join(', ')}`)}\n${content}`,
})

const plan = operation({
  name: 'edit.plan',
  summary: 'What an edit of several files, or a whole reply, makes of them: all of it or nothing',
  when: 'Use to see what an edit of several files would make of them before anything is written.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3, 10],
  input: z.strictObject({
    edit: z.string().describe('A patch, a diff, or a reply with edits and the path of each'),
    format: Format.optional().describe('Read the edit as this format and nothing else; whole: each fence with a path above it is a file'),
    files: z
      .record(z.string(), z.string().nullable())
      .describe('Contents of the files that the edit needs, by path; null: there is no such file'),
  }),
  output: () => z.strictObject({ changes: z.array(Output().extend({ path: z.string(), from: z.string().optional() })) }),
  examples: ['edit plan --format whole --edit "$(cat reply.md)" --files {}'],
  run: (_, input) => valueOf(planEdits(input)),
})

const split = operation({
  name: 'edit.split',
  summary: 'The edits in a whole reply, one by one, and the text around them',
  when: 'Use when a reply mixes edits with prose and each edit is to be handled by itself.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3, 10],
  input: z.strictObject({
    text: z.string().describe('The reply'),
    path: z.string().min(1).optional().describe('The file of edits that name none'),
  }),
  output: () =>
    z.strictObject({
      edits: z.array(
        z.strictObject({
          path: z.string().nullable(),
          format: Format,
          edit: z.string(),
          search: z.string().optional(),
          replace: z.string().optional(),
        }),
      ),
      rest: z.string(),
      warnings: z.array(Warning()),
    }),
  examples: ['edit split --text "$(cat reply.md)"', 'edit split --text "$(cat reply.md)" --path src/app.js --json'],
  run: (_, input) => valueOf(splitReply(input)),
})

export const operations = [apply, plan, split] as const
