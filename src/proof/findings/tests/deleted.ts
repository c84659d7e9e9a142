import type { ProofFacts } from '../../facts.ts'
import { testSide } from '../../judges/test-side.ts'
import { languageOf } from '../../source/language.ts'
import { Source } from '../../source/source.ts'
import { testBlocks } from '../../source/test-blocks.ts'
import { type FindingRule, finding } from '../rule.ts'
import { type FileView, viewsOf } from '../view.ts'
import { marksIn, TOKENS } from './tokens.ts'

/** A test file that is gone and whose titles are not all found in another one. */
export const testDeleted: FindingRule = facts =>
  viewsOf(facts)
    .filter(view => view.isTest && view.change.kind === 'deleted')
    .flatMap(view => {
      const lost = lostTitles(facts, view)
      return lost === null
        ? []
        : [finding('test.deleted', { path: view.path, measured: lost.length === 0 ? 'no title could be read' : list(lost) })]
    })

const list = (titles: readonly string[]): string =>
  titles.length > 3 ? `${titles.slice(0, 3).join(', ')} and ${titles.length - 3} more` : titles.join(', ')

/** Titles of a file that is gone and that no other test has; empty where it held assertions but no title; null where nothing is lost. */
export function lostTitles(facts: ProofFacts, { path, change, old }: FileView): string[] | null {
  if (!old) return null
  const titles = [...new Set(testBlocks(old).map(block => block.title))]
  if (titles.length === 0) {
    const asserts = marksIn(old.code, TOKENS[old.language].assertion).length > 0
    return asserts && change.moved_to === undefined ? [] : null
  }
  const holders = holdersOf(facts, path, old)
  const lost = titles.filter(
    title => !holders.some(holder => holder.text.includes(title) && testBlocks(holder).some(block => block.title === title)),
  )
  return lost.length > 0 ? lost : null
}

/** Names by which runners find tests. What was found by its name must still be. */
const FOUND_BY_NAME = /(?:[._-](?:test|spec|cy)\.\w+|^test_\w*\.py|_test\.\w+|_spec\.rb|Tests?\.\w+|\.bats)$/

function holdersOf(facts: ProofFacts, gone: string, { language }: Source): Source[] {
  const isTest = testSide(facts.settings)
  const byName = FOUND_BY_NAME.test(nameOf(gone))
  return [...facts.tests].flatMap(([path, text]) => {
    const own = path !== gone && isTest(path) && (!byName || FOUND_BY_NAME.test(nameOf(path))) ? languageOf(path, text) : null
    return own !== null && isAlike(own, language) ? [sourceOf(facts, path, text, own)] : []
  })
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const family = (language: Source['language']): string => (language === 'javascript' ? 'typescript' : language)
const isAlike = (a: Source['language'], b: Source['language']): boolean => family(a) === family(b)

const sources = new WeakMap<ProofFacts, Map<string, Source>>()

function sourceOf(facts: ProofFacts, path: string, text: string, language: Source['language']): Source {
  const known = sources.get(facts) ?? new Map<string, Source>()
  sources.set(facts, known)
  const source = known.get(path) ?? new Source(text, language)
  known.set(path, source)
  return source
}
