import { join } from 'node:path'
import { type Clock, timestamp } from '../../kernel/clock.ts'
import { parseJson } from '../../kernel/json.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { redactValues } from '../redaction/value-redactor.ts'
import { SecretRefused, SecretUnknown } from './errors.ts'
import { type Identity, openIdentity } from './identity.ts'
import { CANARY, emptyVault, type Plain, readVault, writeVault } from './vault-file.ts'

export type VaultScope = 'project' | 'personal'

interface SecretInfo {
  name: string
  scope: VaultScope
  created_at: string
  note?: string
  /** The project has one of the same name, which wins. */
  hidden: boolean
}

export interface VaultOptions {
  /** `.qed` of the project; null outside one. */
  project: string | null
  personal: string
  clock: Clock
  passphrase?: () => Promise<string>
}

/** Secrets by name. Values leave it in two ways only: to a process that policy allowed them to, and to a person's terminal. */
export interface Vault {
  list: () => Promise<SecretInfo[]>
  set: (secret: { name: string; scope: VaultScope; value: string; note?: string }) => Promise<SecretInfo>
  remove: (name: string, scope: VaultScope) => Promise<void>
  /** Throws `not_found`; `vault-unreadable` where a vault file is broken, also where another one holds the name. */
  value: (name: string) => Promise<string>
  canaries: () => Promise<string[]>
  /** Remembers that the bait was seen somewhere, until a person removes the note. */
  markLeaked: (where: string) => void
  leaked: () => { at: string; where: string } | null
  /** Whether a content holds any value, in any of its forms. */
  finder: () => Promise<(content: Buffer) => boolean>
}

const NAME = /^[A-Z][A-Z0-9_]{1,63}$/
const BYTES = { least: 8, most: 8192 }
const SCOPES: VaultScope[] = ['project', 'personal']

export function createVault({ project, personal, clock, passphrase }: VaultOptions): Vault {
  const fileOf = (scope: VaultScope): string | null => {
    const folder = scope === 'project' ? project : personal
    return folder === null ? null : join(folder, 'vault', 'secrets.age')
  }
  const note = join(personal, 'vault', 'leaked.json')
  let asked: Promise<string> | undefined
  const askOnce = passphrase && (() => (asked ??= passphrase()))
  const identity = (make: boolean): Promise<Identity | null> => openIdentity(personal, { make, passphrase: askOnce })
  const read = async (scope: VaultScope): Promise<Plain | null> => {
    const file = fileOf(scope)
    return file === null ? null : readVault(file, await identity(false))
  }
  const both = async (): Promise<Record<VaultScope, Plain | null>> => {
    const [ofProject, ofPerson] = await Promise.all([read('project'), read('personal')])
    return { project: ofProject, personal: ofPerson }
  }
  const change = async (scope: VaultScope, alter: (plain: Plain) => void): Promise<void> => {
    const file = fileOf(scope)
    if (file === null) throw new SecretRefused(scope, 'there is no project here')
    const own = await identity(true)
    if (own === null) throw new SecretRefused(scope, 'the identity vanished while it was made')
    // Read first: a file that cannot be read throws here, before anything is written over it.
    const plain = (await readVault(file, own)) ?? emptyVault(timestamp(clock))
    alter(plain)
    await writeVault(file, own, plain)
  }

  return {
    list: async () => infosOf(await both()),
    async set({ name, scope, value, note }) {
      check(name, value)
      const created_at = timestamp(clock)
      await change(scope, plain => {
        plain.secrets[name] = { value, created_at, ...(note !== undefined && { note }) }
      })
      return { name, scope, created_at, ...(note !== undefined && { note }), hidden: false }
    },
    async remove(name, scope) {
      await change(scope, plain => {
        if (name === CANARY || !Object.hasOwn(plain.secrets, name))
          throw new SecretUnknown(
            name,
            named(plain).map(([known]) => known),
          )
        delete plain.secrets[name]
      })
    },
    async value(name) {
      const vaults = await both()
      for (const scope of SCOPES) {
        const found = named(vaults[scope]).find(([known]) => known === name)
        if (found) return found[1].value
      }
      throw new SecretUnknown(
        name,
        SCOPES.flatMap(scope => named(vaults[scope]).map(([known]) => known)),
      )
    },
    async canaries() {
      const vaults = await both()
      return SCOPES.flatMap(scope => vaults[scope]?.secrets[CANARY]?.value ?? [])
    },
    markLeaked: where => {
      writeFileAtomically(note, `${JSON.stringify({ at: timestamp(clock), where })}\n`, { private: true, onlyIfMissing: true })
    },
    leaked: () => (parseJson(readFileIfThere(note) ?? '') ?? null) as { at: string; where: string } | null,
    async finder() {
      const vaults = await both()
      const values = SCOPES.flatMap(scope => Object.values(vaults[scope]?.secrets ?? {}).map(({ value }) => value))
      return content => holdsAny(content, values)
    },
  }
}

function infosOf(vaults: Record<VaultScope, Plain | null>): SecretInfo[] {
  return SCOPES.flatMap(scope =>
    named(vaults[scope]).map(([name, { created_at, note }]) => ({
      name,
      scope,
      created_at,
      ...(note !== undefined && { note }),
      hidden: scope === 'personal' && Object.hasOwn(vaults.project?.secrets ?? {}, name),
    })),
  )
}

function named(plain: Plain | null): [string, Plain['secrets'][string]][] {
  return Object.entries(plain?.secrets ?? {}).filter(([name]) => name !== CANARY)
}

function holdsAny(content: Buffer, values: readonly string[]): boolean {
  let found = false
  const look = redactValues(values, () => (found = true))
  look.push(content.toString('utf8'))
  look.end()
  return found
}

function check(name: string, value: string): void {
  if (!NAME.test(name)) throw new SecretRefused(name, 'a name is 2 to 64 capital letters, digits and underscores, a letter first')
  if (name === CANARY) throw new SecretRefused(name, 'this name is the vault’s own')
  const bytes = Buffer.byteLength(value, 'utf8')
  if (bytes < BYTES.least) throw new SecretRefused(name, `it has ${bytes} bytes, and fewer than ${BYTES.least} cannot be redacted safely`)
  if (bytes > BYTES.most) throw new SecretRefused(name, `it has ${bytes} bytes; at most ${BYTES.most} are taken`)
  if (value.includes('\0')) throw new SecretRefused(name, 'it holds a zero byte, which no environment can carry')
}
