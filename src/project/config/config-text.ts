import {
  applyEdits,
  createScanner,
  type FormattingOptions,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Json } from '../../kernel/json.ts'
import { ConfigBroken } from '../errors.ts'

// The text of a config file: JSON with comments, as people write it with their editors.

const BOM = '\uFEFF'
/** Deeper than any setting, and shallow enough for a parser that calls itself. */
const MOST_DEPTH = 200

/** What a text holds; its objects have no prototype, so that `__proto__` is a key like any other. Throws with the line where
 *  it is not JSON with comments, names a key twice, or is nested without end. */
export function parseConfigText(path: string, text: string): unknown {
  const own = withoutBom(text)
  const broken = (offset: number, reason: string): ConfigBroken => new ConfigBroken(path, `line ${lineOf(own, offset)}: ${reason}`)
  const deep = findTooDeep(own)
  if (deep !== undefined) throw broken(deep, `nested deeper than ${MOST_DEPTH} levels`)
  const errors: ParseError[] = []
  const root = parseTree(own, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) throw broken(error.offset, printParseErrorCode(error.error))
  const twice = root && findDuplicate(root)
  if (twice) throw broken(twice.offset, `${JSON.stringify(twice.value)} stands there twice`)
  return root && getNodeValue(root)
}

/** The text with one key set, or taken out where the value is null; comments, layout and byte order mark stay. */
export function editConfigText(text: string, key: string, value: Json): string {
  const own = withoutBom(text)
  const edits = modify(own, key.split('.'), value ?? undefined, { formattingOptions: formatOf(own) })
  return `${text.startsWith(BOM) ? BOM : ''}${applyEdits(own, edits)}`
}

function withoutBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text
}

/** As the file is indented and ended now; two spaces where it does not say. */
function formatOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    insertFinalNewline: true,
  }
}

// Token by token: the parser itself would run out of stack.
function findTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true)
  let depth = 0
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const offset = scanner.getTokenOffset()
    const first = text[offset] ?? ''
    depth += '{['.includes(first) ? 1 : '}]'.includes(first) ? -1 : 0
    if (depth > MOST_DEPTH) return offset
  }
  return undefined
}

function findDuplicate(node: Node): Node | undefined {
  const seen = new Set<unknown>()
  for (const child of node.children ?? []) {
    const [name] = node.type === 'object' ? (child.children ?? []) : []
    if (name && seen.has(name.value)) return name
    if (name) seen.add(name.value)
    const inner = findDuplicate(child)
    if (inner) return inner
  }
  return undefined
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
