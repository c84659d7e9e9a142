import type { Judge, PathUse } from './judgement.ts'
import { staticWord, type Word } from './word.ts'

const LEADING = new Set(['-H', '-L', '-P'])
const ALONE = new Set(
  (
    '! ( ) , -a -and -daystart -depth -d -empty -executable -false -follow -ignore_readdir_race -ls -mount -noignore_readdir_race -noleaf -nogroup ' +
    '-not -nouser -nowarn -o -or -print -print0 -prune -quit -readable -true -warn -writable -xdev'
  ).split(' '),
)
const WITH_VALUE = new Set(
  (
    '-amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname ' +
    '-maxdepth -mindepth -mmin -mtime -name -newer -path -perm -printf -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype'
  ).split(' '),
)
const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const WRITES = new Set(['-fprint', '-fprint0', '-fprintf', '-fls'])
/** Tests that leave everything in, so that a delete behind them takes the whole folder. */
const WIDE = new Set([
  '-depth',
  '-d',
  '-mount',
  '-xdev',
  '-print',
  '-print0',
  '-true',
  '-follow',
  '-noleaf',
  '-warn',
  '-nowarn',
  '-mindepth',
])

const NEGATIONS = new Set(['!', '-not'])

interface Expression {
  isKnown: boolean
  deletes: boolean
  isNarrow: boolean
  written: Word[]
  runs: Word[][]
}

/** The words of `find`, cut into where it looks and what it does there. */
export const judgeFind: Judge = call => {
  const words = call.args
  let at = 0
  while (LEADING.has(words[at]?.text ?? '')) at++
  const start = at
  while (at < words.length && !startsExpression(words[at])) at++
  const roots = at > start ? words.slice(start, at) : [staticWord('.')]
  const listed = roots.map((word): PathUse => ({ word, access: 'list', recursive: true }))
  const expression = readExpression(words.slice(at))
  const paths: PathUse[] = [...listed, ...expression.written.map((word): PathUse => ({ word, access: 'create' }))]
  const fed = expression.isNarrow ? listed.map(use => ({ ...use, partial: true })) : listed
  const inner = expression.runs.map(argv => ({ argv, fed }))
  if (expression.deletes) {
    const deleted = roots.map(
      (word): PathUse => ({ word, access: 'delete', recursive: true, ...(expression.isNarrow && { partial: true }) }),
    )
    const wipes = expression.isNarrow ? [] : roots
    return { class: 'destructive', flags: ['destructive'], paths: [...paths, ...deleted], inner, knowsPaths: true, wipes }
  }
  return { class: expression.isKnown ? 'read-only' : 'other', paths, inner, knowsPaths: true }
}

/** Whether the words of a `find` leave something out. */
export function leavesOut(words: readonly Word[]): boolean {
  return readExpression(words.slice(words.findIndex(startsExpression))).isNarrow
}

function startsExpression(word: Word | undefined): boolean {
  return word !== undefined && (/^-./.test(word.text) || word.text === '(' || word.text === '!' || word.text === ',')
}

function readExpression(words: readonly Word[]): Expression {
  const found: Expression = { isKnown: true, deletes: false, isNarrow: false, written: [], runs: [] }
  for (let i = 0; i < words.length; i++) {
    const text = words[i]?.text ?? ''
    if (RUNS.has(text)) {
      const end = commandEnd(words, i + 1)
      if (end < 0) found.isKnown = false
      found.runs.push(words.slice(i + 1, end < 0 ? undefined : end).map(asFed))
      i = end < 0 ? words.length : end
    } else if (text === '-delete') found.deletes = true
    else if (WRITES.has(text)) {
      found.isKnown = false
      const target = words[i + 1]
      if (target) found.written.push(target)
      i += text === '-fprintf' ? 2 : 1
    } else if (WITH_VALUE.has(text) || /^-newer[aBcm][aBcmt]$/.test(text)) {
      i++
      // What is looked for below the folders of git or QED is not left to a question.
      if (!WIDE.has(text) && (!/\.(?:git|qed)(?:\/|$)/i.test(words[i]?.text ?? '') || NEGATIONS.has(words[i - 2]?.text ?? '')))
        found.isNarrow = true
      // A dangerous word is not trusted even where it would be a test's value.
      const value = words[i]?.text ?? ''
      if (value === '-delete') found.deletes = true
      if (RUNS.has(value) || WRITES.has(value)) found.isKnown = false
    } else if (!ALONE.has(text)) found.isKnown = false
    else if (text === '-empty' || text === '-nouser' || text === '-nogroup') found.isNarrow = true
  }
  return found
}

function commandEnd(words: readonly Word[], from: number): number {
  for (let i = from; i < words.length; i++) {
    const text = words[i]?.text
    if (text === ';' || (text === '+' && words[i - 1]?.text === '{}')) return i
  }
  return -1
}

function asFed(word: Word): Word {
  return word.text.includes('{}') ? { ...word, kind: 'dynamic', fed: true } : word
}
