import * as z from 'zod'
import { type CompiledSacredRow, compileSacred, SACRED_ROWS, UNLOCKS } from './sacred.ts'
import { readSmallYaml } from './small-yaml.ts'

export type SacredFile = { kind: 'loaded'; rows: CompiledSacredRow[] } | { kind: 'unloadable'; why: string }

const Row = () =>
  z.strictObject({
    id: z.string().min(1),
    paths: z.array(z.string().min(1)).min(1),
    except: z.array(z.string().min(1)).default([]),
    unlock: z.enum(UNLOCKS).default('nobody'),
    match: z.array(z.string()).min(1),
    not_match: z.array(z.string()).default([]),
  })

const File = () => z.strictObject({ version: z.literal(1), rows: z.array(Row()).nullable().default([]) })

/** What a project starts with: the built-in rows alone. */
export const EMPTY_SACRED_FILE = `# Paths that no run may write unless something unlocks them. The built-in rows always hold; this file adds to them.
#  - id: ledger
#    paths: ["src/ledger/**"]
#    unlock: person          # or nobody, auth-surface, allow_billing, allow_dependency_change
#    match: ["src/ledger/book.ts"]
#    not_match: ["src/report.ts"]
version: 1
rows: []
`

/** Reads the project's own rows. Whatever is wrong makes the whole file count as not loaded. */
export function loadSacredFile(text: string): SacredFile {
  try {
    const parsed = File().safeParse(readSmallYaml(text))
    if (!parsed.success) return unloadable(parsed.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`).join('; '))
    const rows = (parsed.data.rows ?? []).map(compileSacred)
    const why = rows.map(wrongExample).find(found => found !== null) ?? takenName(rows)
    return why ? unloadable(why) : { kind: 'loaded', rows }
  } catch (error) {
    return unloadable(error instanceof Error ? error.message : String(error))
  }
}

function wrongExample(row: CompiledSacredRow): string | null {
  const missed = row.match.find(example => !row.covers(example))
  if (missed !== undefined) return `row ${row.id} does not match its example ${missed}`
  const hit = row.not_match.find(example => row.covers(example))
  return hit === undefined ? null : `row ${row.id} matches ${hit}`
}

function takenName(rows: CompiledSacredRow[]): string | null {
  const names = [...SACRED_ROWS.map(row => row.id), 'dependencies', 'credentials', 'vault', 'env', ...rows.map(row => row.id)]
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  return twice === undefined ? null : `two rows are called ${twice}`
}

function unloadable(why: string): SacredFile {
  return { kind: 'unloadable', why }
}
