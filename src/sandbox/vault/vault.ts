import { join } from 'node:path'
import { timestamp } from '../../kernel/clock.ts'
import { parseJson } from '../../kernel/json.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { SecretRefused, SecretUnknown } from './errors.ts'
import { CANARY, type Plain } from './vault-file.ts'
import { createVaultFiles, SCOPES, type VaultOptions, type VaultScope } from './vault-files.ts'

interface SecretInfo {
  name: string
  scope: VaultScope
  created_at: string
  note?: string
  /** The project has one of the same name, which wins. */
  hidden: boolean
}

/** Secrets by name. Values leave it in two ways only: to a process that policy allowed them to, and to a person's terminal; whoever
 *  takes them out of texts knows all of them. */
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
  /** The file that says so. */
  readonly leakedNote: string
  /** All of them, baits included, for redactors alone. */
  values: () => Promise<string[]>
  /** Changes whenever a vault file does; null where there is none. Costs no opening. */
  stamp: () => string | null
}

const NAME = /^[A-Z][A-Z0-9_]{1,63}$/
const BYTES = { least: 8, most: 8192 }

export function createVault(options: VaultOptions): Vault {
  const { personal, clock } = options
  const note = join(personal, 'vault', 'leaked.json')
  const { both, change, stamp } = createVaultFiles(options)
  const makeCanaries = async (vaults: Record<VaultScope, Plain | null>): Promise<void> => {
    for (const scope of SCOPES) if (vaults[scope] && !vaults[scope].secrets[CANARY]) await change(scope, () => undefined)
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
        if (!found) continue
        await makeCanaries(vaults)
        return found[1].value
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
    leakedNote: note,
    markLeaked: where => {
      writeFileAtomically(note, `${JSON.stringify({ at: timestamp(clock), where })}\n`, { private: true, onlyIfMissing: true })
    },
    leaked: () => (parseJson(readFileIfThere(note) ?? '') ?? null) as { at: string; where: string } | null,
    async values() {
      const vaults = await both()
      return SCOPES.flatMap(scope => Object.values(vaults[scope]?.secrets ?? {}).map(({ value }) => value))
    },
    stamp,
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

function check(name: string, value: string): void {
  if (!NAME.test(name)) throw new SecretRefused(name, 'a name is 2 to 64 capital letters, digits and underscores, a letter first')
  if (name === CANARY) throw new SecretRefused(name, 'this name is the vault’s own')
  const bytes = Buffer.byteLength(value, 'utf8')
  if (bytes < BYTES.least) throw new SecretRefused(name, `it has ${bytes} bytes, and fewer than ${BYTES.least} cannot be redacted safely`)
  if (bytes > BYTES.most) throw new SecretRefused(name, `it has ${bytes} bytes; at most ${BYTES.most} are taken`)
  if (value.includes('\0')) throw new SecretRefused(name, 'it holds a zero byte, which no environment can carry')
}
