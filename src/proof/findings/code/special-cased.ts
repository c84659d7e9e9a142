import type { ProofFacts } from '../../facts.ts'
import { testSide } from '../../judges/test-side.ts'
import { type FunctionBlock, functionsOf } from '../../source/functions.ts'
import { languageOf } from '../../source/language.ts'
import { Source } from '../../source/source.ts'
import { type FindingRule, finding } from '../rule.ts'
import { type FileView, viewsOf } from '../view.ts'
import { pairsIn } from './pairs-in-code.ts'
import { pairsFor } from './pairs-in-tests.ts'

const FEWEST = 2

/** Code that knows the answers of its tests, all of them and no other. */
export const codeSpecialCased: FindingRule = facts =>
  viewsOf(facts).flatMap(view => {
    if (view.isTest || !view.now || view.diff.added.length === 0) return []
    const source = view.now
    const asked = byName(facts, functionsOf(source))
    return [...asked].flatMap(([own, wanted]) => {
      const parts = [own.body, ...tablesOf(source, own)].filter(part => isAdded(view, source, part))
      const found = parts.find(part => isSame(pairsIn(source, part), wanted))
      if (!found) return []
      const line = source.lineAt(found.start) + 1
      return [finding('code.special-cased', { path: view.path, line, measured: `${own.name}: ${wanted.size} pairs` })]
    })
  })

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.size === b.size && [...a].every(pair => b.has(pair))

/** The functions that tests give enough pairs for. */
function byName(facts: ProofFacts, functions: FunctionBlock[]): Map<FunctionBlock, Set<string>> {
  const tests = testsOf(facts)
  const pairs = new Map<string, Set<string>>()
  for (const { name } of functions) {
    if (pairs.has(name)) continue
    pairs.set(name, new Set(tests.flatMap(test => (test.text.includes(name) ? [...pairsFor(name, test)] : []))))
  }
  const asked = functions.map(own => [own, pairs.get(own.name) ?? new Set<string>()] as const)
  return new Map(asked.filter(([, wanted]) => wanted.size >= FEWEST))
}

const TABLE = /(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?::[^=\n;{}]{0,120})?:?=(?![=>])\s*[^\n;={}[\]]{0,80}([[{])/g

/** Tables outside the function that it names. */
function tablesOf(source: Source, { body }: FunctionBlock): FunctionBlock['body'][] {
  const { code, brackets } = source
  const inside = new Set(code.slice(body.start, body.end).match(/[A-Za-z_$][\w$]*/g))
  return Array.from(code.matchAll(TABLE)).flatMap(match => {
    const open = match.index + match[0].length - 1
    const close = brackets.partner[open] ?? -1
    const isOutside = open < body.start || open >= body.end
    return close > open && isOutside && inside.has(match[1] ?? '') ? [{ start: open, end: close + 1 }] : []
  })
}

function isAdded(view: FileView, source: Source, { start, end }: FunctionBlock['body']): boolean {
  const [first, last] = [source.lineAt(start), source.lineAt(end - 1)]
  return view.diff.added.some(line => first <= line && line <= last)
}

const known = new WeakMap<ProofFacts, Source[]>()

function testsOf(facts: ProofFacts): Source[] {
  const made = known.get(facts) ?? readTests(facts)
  known.set(facts, made)
  return made
}

function readTests({ tests, settings }: ProofFacts): Source[] {
  const isTest = testSide(settings)
  return [...tests].flatMap(([path, text]) => {
    const language = isTest(path) ? languageOf(path, text) : null
    return language === null ? [] : [new Source(text, language)]
  })
}
