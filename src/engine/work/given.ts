import { join } from 'node:path'
import type { Event } from '../../kernel/event.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { KeptText } from '../../kernel/kept-text.ts'
import type { OpenModel } from '../../models/models.ts'
import { givenOf } from '../../runs/history.ts'
import type { Run } from '../../runs/run.ts'
import { createBlobs } from '../../store/blobs.ts'
import { isReadingKind } from '../budgets.ts'
import type { Leaks } from './leaks.ts'
import type { WorkHouse, WorkInput, WorkPorts } from './types.ts'

/** What a run was asked for, but for its kind and model, which its record has. */
type Given = Omit<WorkInput, 'kind' | 'model'> & Pick<WorkPorts, 'waits'>

type Folder = Pick<WorkHouse['project'], 'folder'>
const blobsOf = ({ folder }: Folder) => createBlobs(join(folder, 'blobs'))

type At = Folder & Pick<WorkPorts, 'waits'> & Pick<Leaks, 'redact'>

/** Writes down a run as it was asked for. */
export function created(
  { runs, actor }: Pick<WorkHouse, 'runs' | 'actor'>,
  input: WorkInput,
  { model, ...at }: At & { model: OpenModel },
): Run {
  const prompt = at.redact(input.prompt)
  const wanted = {
    // Cut behind the redaction: half of a secret is known to nobody for one.
    intent: prompt.slice(0, 4000),
    kind: input.kind,
    mode: isReadingKind(input.kind) ? ('plan' as const) : ('act' as const),
    model: model.spec.name,
  }
  return runs.create(wanted, { given: { prompt: blobsOf(at).keep(prompt), ...toTerms(input, at) }, actor })
}

/** What is said to a run that goes on: the whole of what holds from here on, and perhaps what more is to be done. */
export function toSaid(input: WorkInput, further: string | null, at: At): JsonObject {
  return { ...(further !== null && { prompt: blobsOf(at).keep(at.redact(further)) }), given: toTerms(input, at) }
}

function toTerms({ scope, folder, allowCommands, budget, verify, isolated }: WorkInput, { waits }: Pick<At, 'waits'>): JsonObject {
  const set = Object.entries(budget).filter(([, most]) => most !== undefined)
  return { scope, folder, allow_commands: allowCommands, budget: Object.fromEntries(set), verify, isolated, waits }
}

/** The same, read again from the events of the run; null where it was not written down. */
export function readGiven(events: readonly Event[], project: Folder): Given | null {
  const given = givenOf(events)
  if (!given) return null
  const { first, now } = given
  return {
    prompt: blobsOf(project).read(first['prompt'] as KeptText),
    scope: now['scope'] as string[] | null,
    // Older runs knew of the root alone.
    folder: (now['folder'] ?? '') as string,
    allowCommands: now['allow_commands'] as string[],
    budget: now['budget'] as Given['budget'],
    verify: now['verify'] as Given['verify'],
    isolated: now['isolated'] === true,
    waits: now['waits'] === true,
  }
}
