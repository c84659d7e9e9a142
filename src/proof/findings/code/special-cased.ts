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
    const tests = testsOf(facts)
    const source = view.now
    return functionsOf(source).flatMap(own => {
      const spelled = [own.body, ...tablesOf(source, own)].map(part => ({
        part,
        pairs: isAdded(view, source, part) ? pairsIn(source, part) : new Set<string>(),
      }))
      if (spelled.every(({ pairs }) => pairs.size < FEWEST)) return []
      const wanted = new Set(tests.filter(test => test.text.includes(own.name)).flatMap(test => [...pairsFor(own.name, test)]))
      const found =
        wanted.size >= FEWEST
          ? spelled.find(({ pairs }) => pairs.size === wanted.size && [...wanted].every(pair => pairs.has(pair)))
          : undefined
      return found
        ? [
            finding('code.special-cased', {
              path: view.path,
              line: source.lineAt(found.part.start) + 1,
              measured: `${own.name}: ${wanted.size} pairs`,
            }),
          ]
        : []
    })
  })

/** Tables outside the function that it names. */
function tablesOf(source: Source, { body }: FunctionBlock): FunctionBlock['body'][] {
  const { code, brackets } = source
  const inside = code.slice(body.start, body.end)
  const form =
    /(?:^|\n)[ \t]*(?:export\s+)?(?:const|let|var|static|final|private|public|readonly|\w+)?[\w<>[\], :&']{0,120}?\b([\w$]+)\s*(?::[^=\n]{0,120})?:?=\s*[^\n;=]{0,80}?([[{])/g
  return Array.from(code.matchAll(form)).flatMap(match => {
    const open = match.index + match[0].length - 1
    const close = brackets.partner[open] ?? -1
    const isInside = open >= body.start && open < body.end
    const name = match[1] ?? ''
    return close > open && !isInside && new RegExp(`(?<![\\w$])${name.replace(/\W/g, '\\$&')}(?![\\w$])`).test(inside)
      ? [{ start: open, end: close + 1 }]
      : []
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
