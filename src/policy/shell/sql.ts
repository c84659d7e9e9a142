import type { Flag } from '../types.ts'
import { hasOption, longNames, type OptionShape, optionValues, readArguments } from './arguments.ts'
import type { Judge } from './judgement.ts'
import type { Word } from './word.ts'

interface ClientRow extends OptionShape {
  /** Options that carry statements. */
  text: readonly string[]
  /** Options that name a file with statements. */
  file: readonly string[]
  /** Operands from this one on are statements; those before it are files of the database. */
  operandsFrom?: number
  /** Long options have one dash. */
  oneDash?: boolean
}

const MYSQL: ClientRow = { values: 'eDhPSu', longValues: longNames('execute database host port user'), text: ['-e', '--execute'], file: [] }

export const SQL_CLIENTS: ReadonlyMap<string, ClientRow> = new Map<string, ClientRow>([
  [
    'psql',
    {
      values: 'cdfhopUvFPRTL',
      longValues: longNames('command dbname file host port username set variable output log-file'),
      text: ['-c', '--command'],
      file: ['-f', '--file'],
    },
  ],
  ['mysql', MYSQL],
  ['mariadb', MYSQL],
  [
    'sqlite3',
    {
      longValues: longNames('cmd init separator newline nullvalue vfs maxsize mmap lookaside pagecache escape'),
      text: ['--cmd'],
      file: ['--init'],
      operandsFrom: 1,
      oneDash: true,
    },
  ],
  ['sqlcmd', { values: 'QqSUPdiov', text: ['-Q', '-q'], file: ['-i'] }],
])

// Clients run programs from within their text by commands of their own.
const LEAVES_SQL = new RegExp(
  [
    String.raw`(?:^|[\n;])\s*\\(?:!|copy|o|i|ir|w|g|gexec|lo_export|lo_import|setenv|cd)\b|\\!`,
    String.raw`(?:^|[\n;])\s*\.(?:shell|system|output|once|excel|import|load|save|backup|restore|read|open|clone|archive|ar|log|trace|cd)\b`,
    String.raw`(?:^|[\n;])\s*(?:system|source)\s`,
    String.raw`into\s+(?:outfile|dumpfile)|\bvacuum\b[^;]*\binto\b|\bload\s+data\b|\bcopy\b[^;]*\b(?:to|from)\s*'|\bprogram\b`,
    String.raw`\battach\b|\b(?:writefile|readfile|load_extension|edit|pg_read_file|lo_import|lo_export)\s*\(`,
  ].join('|'),
  'i',
)
const ONLY_LOOKS =
  /^\s*(?:select|explain|pragma\s+\w+(?:\s*\(\w+\))?\s*$|\.(?:schema|tables|databases|dump|indexes|indices|mode|headers?|show|width|fullschema)\b|$)/i

export const judgeSql: Judge = call => {
  const row = SQL_CLIENTS.get(call.base)
  if (!row) return { class: 'other' }
  const words = row.oneDash ? call.args.map(word => (/^-[a-z]/.test(word.text) ? { ...word, text: `-${word.text}` } : word)) : call.args
  const args = readArguments(words, row)
  const given: Word[] = [...optionValues(args, row.text), ...(row.operandsFrom === undefined ? [] : args.operands.slice(row.operandsFrom))]
  const flags = new Set<Flag>()
  for (const { kind, text } of given) {
    if (kind !== 'static') flags.add('ambiguous')
    for (const flag of sqlFlags(text)) flags.add(flag)
  }
  if (optionValues(args, row.file).length > 0) flags.add('ambiguous')
  if (given.length === 0 && call.stdin.kind !== 'none') {
    const text = call.stdin.kind === 'text' ? call.stdin.text : null
    if (text === null) flags.add('ambiguous')
    else for (const flag of sqlFlags(text)) flags.add(flag)
  }
  const files = row.operandsFrom === undefined ? [] : args.operands.slice(0, row.operandsFrom).filter(word => word.text !== ':memory:')
  const looks = given.length > 0 && given.every(({ text }) => text.split(';').every(statement => ONLY_LOOKS.test(statement)))
  const access = looks || hasOption(args, ['--readonly']) ? 'read' : 'create'
  return {
    class: flags.has('destructive') ? 'destructive' : 'other',
    flags: [...flags],
    paths: files.map(word => ({ word, access })),
  }
}

function sqlFlags(text: string): Flag[] {
  const plain = text.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
  // A conditional comment is a comment for some servers and a statement for others, so that both texts are looked at.
  const destroys = [text, plain].some(one => one.split(';').some(isDestructive))
  return [...(destroys ? (['destructive'] as const) : []), ...(LEAVES_SQL.test(text) ? (['ambiguous'] as const) : [])]
}

function isDestructive(statement: string): boolean {
  return (
    /\bdrop\b|\btruncate\b/i.test(statement) ||
    (/\bupdate\b/i.test(statement) && /\bset\b/i.test(statement) && !/\bwhere\b/i.test(statement)) ||
    (/\bdelete\b/i.test(statement) && !/\blimit\b/i.test(statement))
  )
}
