import { realpathSync, rmSync } from 'node:fs'
import { canonicalJson, type Json, parseJson } from '../../kernel/json.ts'
import { scan } from '../../policy/secrets/scan.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import type { Store } from '../../store/store.ts'
import { ConfigBroken, ConfigHoldsSecret } from '../errors.ts'
import { type ConfigPlaces, type ConfigScope, emptyConfig, readConfig } from './config.ts'
import { editConfigText } from './config-text.ts'
import { checkSetting, readValue, rowFor, type Setting, unknownKey } from './resolve.ts'

// Setting a key: take the store's write lock → settle → note the intent → append the event → replace the file → commit.
// A failure on the way leaves neither event nor change. A crash between the last two leaves a change whose event is gone: the
// intent is still there, and the next set finds the change in the file and no event after it, and appends it.

export interface Change {
  key: string
  value: Json
  scope: ConfigScope
  /** Check everything and write nothing. */
  dryRun?: boolean
}

/** A change as it is noted before it is made. */
interface Intent {
  key: string
  value: Json
  /** Newest event at that time: the event of this change is the next one. */
  after: number
}

/** Sets one key in one file, or takes it out where the value is null; comments and layout of the file stay. The write lock of
 *  the store makes two writers take turns, and the change stands in its log. What is so already is left as it is. */
export function setSetting(places: ConfigPlaces, change: Change, store: Store): Setting & { previous: Json } {
  const { key, scope } = change
  const file = fileOf(places, scope)
  const value = fitted(change)
  if (value !== null) checkSetting(key, value, { file, personalFile: places.personal, scope })
  const [secret] = scan(JSON.stringify(value))
  if (secret) throw new ConfigHoldsSecret(key, secret.detector)
  const valueNow = (name: string): Json => readConfig(file, scope, places).values.get(name) ?? null
  const done = store.db.transaction(() => {
    if (!change.dryRun) settle(store, scope, valueNow)
    const previous = valueNow(key)
    const setting = { key, value, previous, source: scope, file }
    if (change.dryRun || isSame(previous, value)) return setting
    const text = editConfigText(readFileIfThere(file) ?? emptyConfig(scope), key, value)
    const intent: Intent = { key, value, after: store.log.head()?.seq ?? 0 }
    writeFileAtomically(intentPath(store), canonicalJson(intent), { private: true })
    record(store, scope, intent)
    writeFileAtomically(writtenThrough(file, scope), text, { private: scope === 'personal' })
    return setting
  })
  if (!change.dryRun) forgetIntent(store)
  return done
}

/** Appends the event of a change that a crash left without one. */
function settle(store: Store, scope: ConfigScope, valueNow: (key: string) => Json): void {
  const intent = readIntent(store)
  if (intent && !isRecorded(store, intent) && isSame(valueNow(intent.key), intent.value)) record(store, scope, intent)
}

// Under the lock, because another writer may have noted its own meanwhile; that one has settled ours.
function forgetIntent(store: Store): void {
  try {
    store.db.transaction(() => {
      if (isRecorded(store, readIntent(store))) rmSync(intentPath(store), { force: true })
    })
  } catch {
    // The change is made and recorded. An intent that stays is found recorded by the next set.
  }
}

function readIntent(store: Store): Intent | null {
  const text = readFileIfThere(intentPath(store))
  return text === null ? null : (parseJson(text) as unknown as Intent)
}

function isRecorded(store: Store, intent: Intent | null): boolean {
  const [next] = intent ? store.log.list({ after: intent.after }, 1) : []
  return next?.type === 'config.set' && next.data['key'] === intent?.key
}

function record(store: Store, scope: ConfigScope, { key, value }: Intent): void {
  store.log.append(scope === 'project' ? 'project' : 'person', 'config.set', { key, scope, removed: value === null })
}

// Beside the store whose lock and log it belongs to.
function intentPath(store: Store): string {
  return `${store.path}.config-intent`
}

function isSame(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

function fileOf(places: ConfigPlaces, scope: ConfigScope): string {
  if (scope === 'personal') return places.personal
  if (places.project === null) throw new ConfigBroken('config.json', 'there is no project here')
  return places.project
}

// People keep their own files elsewhere and link them. A link in a project is someone else's and may point anywhere.
function writtenThrough(file: string, scope: ConfigScope): string {
  if (scope === 'project') return file
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

// A command line has only text for a value; a program may send the value itself.
function fitted({ key, value }: Change): Json {
  const row = rowFor(key)
  if (!row) throw unknownKey(key)
  return typeof value === 'string' && value !== '' ? readValue(row, value, `The value for ${key}`) : value
}
