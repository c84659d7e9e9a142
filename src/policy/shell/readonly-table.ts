import { type Arguments, hasOption, longNames, type OptionShape } from './arguments.ts'
import type { Word } from './word.ts'

/** One row of programs that only look. Anything outside the row's condition takes the class away. */
export interface ReadOnlyRow extends OptionShape {
  programs: string
  /** What the operands are: contents that are read, names that are listed, or no paths at all. */
  operands: 'read' | 'list' | 'none'
  never?: readonly string[]
  /** The first operand is text unless one of these options gave it. */
  textUnless?: readonly string[]
  /** Options whose value is a file that is read. */
  files?: readonly string[]
  /** Options with which it tells names alone. */
  onlyNames?: readonly string[]
  /** Options whose value is a file that is written; they are among `never`. */
  writes?: readonly string[]
  /** Operands that it reads; further ones are written. */
  most?: number
  /** A further condition over the words. */
  holds?: (args: Arguments, words: readonly Word[]) => boolean
  recursive?: (args: Arguments) => boolean
  /** Without an operand the current folder is meant. */
  hereByDefault?: (args: Arguments) => boolean
  /** Any option is harmless, so that `xargs` and `find -exec` may add operands. */
  feedable?: boolean
}

const always = (): boolean => true
const allStatic = (words: readonly Word[]): boolean => words.every(word => word.kind === 'static')

const GREP_RECURSES = ['-r', '-R', '--recursive', '--dereference-recursive']
const grepRecurses = (args: Arguments): boolean =>
  hasOption(args, GREP_RECURSES) ||
  args.options.some(({ name, value }) => (name === '-d' || name === '--directories') && value?.text === 'recurse')

// A module is a file that no operand shows.
const JQ_REACHES_OUT = /(?<![.\w$"'-])env\b|\$ENV|\bimport\b|\binclude\b/

const GREP_LONG = longNames(
  'after-context before-context context regexp file max-count exclude exclude-from exclude-dir include directories devices binary-files label',
)
const RG_LONG = longNames(
  'after-context before-context context color colors encoding engine file glob iglob ignore-file max-columns max-count max-depth max-filesize ' +
    'path-separator regexp regex-size-limit dfa-size-limit replace sort sortr threads type type-add type-not type-clear context-separator ' +
    'field-context-separator field-match-separator generate hyperlink-format maxdepth pre pre-glob hostname-bin',
)
const FD_LONG = longNames(
  'max-depth min-depth exact-depth type extension exclude size owner changed-within changed-before color threads max-results search-path ' +
    'base-directory ignore-file path-separator batch-size newer older format maxdepth and',
)

const FEEDABLE: ReadOnlyRow[] = [
  { programs: 'cat nproc pwd rev sum tac tsort uptime whoami', operands: 'read', values: '', attached: 's' },
  { programs: 'md5sum sha1sum sha256sum sha512sum', operands: 'read' },
  { programs: 'cksum', operands: 'read', values: 'al', longValues: longNames('algorithm length') },
  { programs: 'cmp', operands: 'read', values: 'in', longValues: longNames('ignore-initial bytes') },
  { programs: 'comm', operands: 'read', longValues: longNames('output-delimiter') },
  { programs: 'cut', operands: 'read', values: 'dfbc', longValues: longNames('delimiter fields bytes characters output-delimiter') },
  { programs: 'df', operands: 'read', values: 'Btx', longValues: longNames('block-size type exclude-type') },
  {
    programs: 'diff',
    operands: 'read',
    values: 'CUFILSxXWD',
    longValues: longNames('label exclude exclude-from from-file to-file width horizon-lines starting-file ifdef ignore-matching-lines'),
    files: ['-X', '--exclude-from', '--from-file', '--to-file'],
    recursive: args => hasOption(args, ['-r', '--recursive']),
  },
  {
    programs: 'du',
    operands: 'list',
    values: 'BdtX',
    longValues: longNames('block-size max-depth threshold exclude exclude-from files0-from time-style'),
    files: ['-X', '--exclude-from', '--files0-from'],
    recursive: always,
    hereByDefault: always,
  },
  { programs: 'expand unexpand', operands: 'read', values: 't', longValues: longNames('tabs') },
  { programs: 'fold', operands: 'read', values: 'w', longValues: longNames('width') },
  {
    programs: 'grep egrep fgrep',
    operands: 'read',
    values: 'ABCDdefm',
    longValues: GREP_LONG,
    textUnless: ['-e', '-f', '--regexp', '--file'],
    files: ['-f', '--file', '--exclude-from'],
    recursive: grepRecurses,
    hereByDefault: grepRecurses,
  },
  { programs: 'head', operands: 'read', values: 'nc', longValues: longNames('lines bytes') },
  { programs: 'tail', operands: 'read', values: 'ncs', longValues: longNames('lines bytes pid sleep-interval max-unchanged-stats') },
  { programs: 'join', operands: 'read', values: 'aejotv12' },
  {
    programs: 'ls',
    operands: 'list',
    values: 'ITw',
    longValues: longNames('hide ignore width block-size tabsize sort time time-style format'),
    recursive: args => hasOption(args, ['-R', '--recursive']),
    hereByDefault: always,
  },
  { programs: 'nl', operands: 'read', values: 'bdfhilnsvw' },
  { programs: 'od', operands: 'read', values: 'AjNt', attached: 'Sw' },
  { programs: 'paste', operands: 'read', values: 'd', longValues: longNames('delimiters') },
  { programs: 'pr', operands: 'read', values: 'DhlNowW', attached: 'einsS' },
  { programs: 'readlink', operands: 'list' },
  { programs: 'realpath', operands: 'list', longValues: longNames('relative-to relative-base') },
  { programs: 'stat', operands: 'list', values: 'c', longValues: longNames('format printf') },
  { programs: 'strings', operands: 'read', values: 'nteT', longValues: longNames('bytes radix encoding target') },
  { programs: 'wc', operands: 'read', longValues: longNames('files0-from'), files: ['--files0-from'] },
  { programs: 'basename dirname expr groups id seq sleep tr type uname which', operands: 'none' },
  {
    programs: 'jq',
    operands: 'read',
    values: 'fL',
    longValues: longNames('indent from-file'),
    textUnless: ['-f', '--from-file'],
    files: ['-f', '--from-file', '-L'],
    holds: (_, words) => words.every(word => !JQ_REACHES_OUT.test(word.text)),
  },
]

const CONDITIONAL: ReadOnlyRow[] = [
  {
    programs: 'sort',
    operands: 'read',
    values: 'ktSTo',
    longValues: longNames('key field-separator buffer-size random-source files0-from parallel batch-size output temporary-directory'),
    never: ['-o', '--output', '-T', '--temporary-directory', '--compress-program'],
    writes: ['-o', '--output'],
    files: ['--random-source', '--files0-from'],
  },
  {
    programs: 'shuf',
    operands: 'read',
    values: 'ino',
    longValues: longNames('input-range head-count random-source output'),
    never: ['-o', '--output'],
    writes: ['-o', '--output'],
    files: ['--random-source'],
  },
  {
    programs: 'iconv',
    operands: 'read',
    values: 'fto',
    longValues: longNames('from-code to-code output'),
    never: ['-o', '--output'],
    writes: ['-o', '--output'],
  },
  {
    programs: 'base64',
    operands: 'read',
    values: 'wo',
    longValues: longNames('wrap output'),
    never: ['-o', '--output'],
    writes: ['-o', '--output'],
  },
  {
    programs: 'uniq',
    operands: 'read',
    values: 'fsw',
    longValues: longNames('skip-fields skip-chars check-chars'),
    most: 1,
    holds: (_, words) => allStatic(words),
  },
  {
    programs: 'date',
    operands: 'none',
    values: 'dfrs',
    attached: 'I',
    longValues: longNames('date file reference set'),
    never: ['-s', '--set'],
    files: ['-f', '-r', '--file', '--reference'],
    holds: args => args.operands.every(word => word.kind === 'static' && word.text.startsWith('+')),
  },
  { programs: 'hostname', operands: 'none', values: 'F', never: ['-F', '--file', '-b', '--boot'], most: 0 },
  {
    programs: 'tree',
    operands: 'list',
    values: 'LPIHToR',
    longValues: longNames('filelimit charset timefmt gitfile infofile sort'),
    never: ['-o', '-R', '--output'],
    writes: ['-o', '--output'],
    files: ['--gitfile', '--infofile'],
    recursive: always,
    hereByDefault: always,
  },
  {
    programs: 'file',
    operands: 'read',
    values: 'eFfmP',
    longValues: longNames('exclude separator files-from magic-file parameter'),
    never: ['-C', '-z', '-Z', '--compile', '--uncompress', '--uncompress-noreport'],
    files: ['-f', '-m', '--files-from', '--magic-file'],
  },
  {
    programs: 'rg',
    operands: 'read',
    values: 'ABCEfgjmMrTtde',
    longValues: RG_LONG,
    never: ['--pre', '--pre-glob', '--hostname-bin', '-z', '--search-zip'],
    textUnless: ['-e', '-f', '--regexp', '--file', '--files', '--type-list'],
    files: ['-f', '--file', '--ignore-file'],
    onlyNames: ['--files'],
    recursive: always,
    hereByDefault: args => !hasOption(args, ['--type-list', '-V', '--version', '-h', '--help']),
  },
  {
    programs: 'fd fdfind',
    operands: 'list',
    values: 'dteESocjC',
    longValues: FD_LONG,
    never: ['-x', '-X', '--exec', '--exec-batch'],
    textUnless: [],
    files: ['--search-path', '--base-directory', '-C', '--ignore-file'],
    recursive: always,
    hereByDefault: always,
  },
]

export const READ_ONLY: ReadonlyMap<string, ReadOnlyRow> = new Map(
  [...FEEDABLE.map(row => ({ ...row, feedable: true })), ...CONDITIONAL].flatMap(row => row.programs.split(' ').map(name => [name, row])),
)

/** Read-only when their one argument asks for the version or the help. */
export const TELLS_VERSION: ReadonlySet<string> = new Set(
  'node npm pnpm yarn bun deno python python3 pip go cargo rustc java ruby php gcc clang make cmake docker gh git'.split(' '),
)
