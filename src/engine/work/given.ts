import { join } from 'node:path'
import type { Event } from '../../kernel/event.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { KeptText } from '../../kernel/kept-text.ts'
import { redactText } from '../../policy/secrets/redact.ts'
import { givenOf } from '../../runs/history.ts'
import { createBlobs } from '../../store/blobs.ts'
import type { WorkHouse, WorkInput, WorkPorts } from './types.ts'

/** What a run was asked for, but for its kind and model, which its record has. */
type Given = Omit<WorkInput, 'kind' | 'model'> & Pick<WorkPorts, 'waits'>

type Folder = Pick<WorkHouse['project'], 'folder'>
const blobsOf = ({ folder }: Folder) => createBlobs(join(folder, 'blobs'))

export function toGiven(
  { prompt, scope, allowCommands, budget, verify, isolated }: WorkInput,
  { waits, ...project }: Folder & Pick<WorkPorts, 'waits'>,
): JsonObject {
  const set = Object.entries(budget).filter(([, most]) => most !== undefined)
  return {
    prompt: blobsOf(project).keep(redactText(prompt)),
    scope,
    allow_commands: allowCommands,
    budget: Object.fromEntries(set),
    verify,
    isolated,
    waits,
  }
}

/** The same, read again from the events of the run; null where it was not written down. */
export function readGiven(events: readonly Event[], project: Folder): Given | null {
  const given = givenOf(events)
  if (!given) return null
  return {
    prompt: blobsOf(project).read(given['prompt'] as KeptText),
    scope: given['scope'] as string[] | null,
    allowCommands: given['allow_commands'] as string[],
    budget: given['budget'] as Given['budget'],
    verify: given['verify'] as Given['verify'],
    isolated: given['isolated'] === true,
    waits: given['waits'] === true,
  }
}
