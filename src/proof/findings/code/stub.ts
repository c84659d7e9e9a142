import { type FunctionBlock, functionsOf } from '../../source/functions.ts'
import type { Language } from '../../source/language.ts'
import type { Source } from '../../source/source.ts'
import { testParts } from '../../source/test-part.ts'
import { type FindingRule, finding } from '../rule.ts'
import { viewsOf } from '../view.ts'

const SAYS_SO = /\bnot (?:yet )?implemented\b|\bunimplemented\b|\bnot supported yet\b|\bNotImplemented\w*|\bTODO\b|\bFIXME\b/i

/** Bodies of one statement that do nothing but give up. Compared with blanked code. */
const GIVES_UP: Record<Language, RegExp | null> = {
  javascript: /^throw\b[^;]*;?$/,
  typescript: /^throw\b[^;]*;?$/,
  python: /^(?:pass|\.\.\.|raise\s+NotImplementedError\b.*)$/,
  go: /^panic\([^;]*\)$/,
  rust: /^(?:todo|unimplemented|panic)!\s*[([{][^;]*[)\]}];?$/,
  java: /^throw\s+new\s[^;]*;$/,
  kotlin: /^(?:throw\b[^;]*|TODO\(.*\))$/,
  csharp: /^throw\s+new\s+NotImplementedException\b[^;]*;$/,
  ruby: /^raise\s+NotImplementedError\b.*$/,
  php: /^throw\s+new\s[^;]*;$/,
  shell: /^:$/,
  bats: null,
}

/** Their purpose is to throw, and their head says so. */
const MEANT =
  /:\s*never\b|\bNoReturn\b|\bNever\b|->\s*!|:\s*Nothing\b|@(?:\w+\.)*(?:abstractmethod|overload|abc\.\w+|abstractproperty)\b|\babstract\b|@Deprecated/
const MEANT_NAME = /^(?:fail|throw|raise|unreachable|assertNever|panic|abort|bail|reject|die|error|refuse|usage)/i

/** An added function that only says that it is not there yet. */
export const codeStub: FindingRule = facts =>
  viewsOf(facts).flatMap(({ path, isTest, now, old, diff }) => {
    if (isTest || !now || diff.added.length === 0) return []
    const added = new Set(diff.added)
    const before = new Set(
      old
        ? functionsOf(old)
            .filter(own => isStub(old, own))
            .map(({ name }) => name)
        : [],
    )
    const tests = testParts(now)
    return functionsOf(now)
      .filter(own => !tests.some(part => part.start <= own.start && own.start < part.end))
      .filter(own => touches(now, own, added) && isStub(now, own) && !before.has(own.name))
      .map(({ name, line }) => finding('code.stub', { path, line: line + 1, measured: name }))
  })

function touches(source: Source, { line, body }: FunctionBlock, added: ReadonlySet<number>): boolean {
  const last = source.lineAt(Math.max(body.start, body.end - 1))
  for (let at = line; at <= last; at++) if (added.has(at)) return true
  return false
}

function isStub(source: Source, { name, head, body }: FunctionBlock): boolean {
  if (MEANT.test(head)) return false
  const code = bodyOf(source, source.code, body)
  const says = SAYS_SO.test(source.text.slice(body.start, body.end))
  if (code === '') return says && source.text.slice(body.start, body.end).trim() !== ''
  const statements = code.split(/[;\n]/).filter(part => part.trim() !== '').length
  if (statements <= 2 && says && /^(?:throw|raise|return|panic|console|print|echo|log|todo|unimplemented|pass|die|err)/i.test(code))
    return true
  const gives = GIVES_UP[source.language]
  return gives?.test(code.replace(/\s+/g, ' ')) === true && statements === 1 && !MEANT_NAME.test(name) && !isProtocol(source, body.start)
}

/** The body as code, without a Python doc string and without the `end` of Ruby. */
function bodyOf({ language }: Source, layer: string, { start, end }: FunctionBlock['body']): string {
  const code = layer.slice(start, end).trim()
  if (language === 'python') return code.replace(/^[rRuU]?("""|'''|"|')\s*\1\s*/, '').trim()
  return language === 'ruby' ? code.replace(/\bend$/, '').trim() : code
}

/** Methods of a Python protocol or abstract class have no body to write. */
function isProtocol(source: Source, position: number): boolean {
  if (source.language !== 'python') return false
  const above = source.code.slice(0, position)
  const at = Math.max(above.lastIndexOf('\nclass '), above.startsWith('class ') ? 0 : -1)
  return at >= 0 && /^\n?class\s+\w+\s*[([][^\n]*\b(?:Protocol|ABC|ABCMeta)\b/.test(above.slice(at, at + 300))
}
