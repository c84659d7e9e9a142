import type { Finding } from '../../kernel/finding.ts'
import type { ProofFacts } from '../facts.ts'
import { type FileView, removedTexts, takeOne, viewsOf } from '../findings/view.ts'
import { type Audit, at, auditOf } from './audit.ts'
import { OTHER_SINKS } from './other-sinks.ts'
import { SINK_KINDS, type Sink, type SinkKind } from './sink-kinds.ts'
import { TEXT_SINKS } from './text-sinks.ts'

export const SINKS: readonly Sink[] = [...TEXT_SINKS, ...OTHER_SINKS]

/** Longer lines are no one's writing; such files are a finding of their own. */
const LONGEST_LINE = 2000

/** F-24: how much more dangerous the change makes the code. */
export function secaudit({ facts, findings }: { facts: ProofFacts; findings: readonly Finding[] }): Audit {
  const secrets = findings.filter(({ id }) => id.startsWith('secret.'))
  const sinks = addedSinks(viewsOf(facts))
  const critical = [
    ...secrets.map(({ id, path, line }) => `${id}${at(path, line)}`),
    ...sinks.filter(({ kind }) => kind === 'tls-off').map(({ kind, path, line }) => `${kind}: ${SINK_KINDS[kind]},${at(path, line)}`),
  ]
  return auditOf(
    [
      ...secrets.slice(0, 1).map(() => ({ points: 100, text: 'A secret was found' })),
      ...sinks.map(({ kind, path, line }) => ({ points: 20, text: `${kind}: ${SINK_KINDS[kind]},${at(path, line)}` })),
      ...findings
        .filter(({ id }) => id === 'deps.scripts')
        .map(({ path, measured }) => ({ points: 20, text: `deps.scripts${at(path)} ${measured ?? ''}`.trim() })),
    ],
    critical,
  )
}

interface FoundSink {
  kind: SinkKind
  path: string
  /** From 1. */
  line: number
}

/** Tests are left out: what they do to the program under test is done to nobody else. A line that only moved is not added. */
function addedSinks(views: readonly FileView[]): FoundSink[] {
  const moved = removedTexts(views)
  return views.flatMap(view => {
    const { path, now, diff } = view
    if (!now || view.isTest) return []
    const sinks = SINKS.filter(({ languages }) => languages.includes(now.language))
    return diff.added.flatMap(line => {
      const kinds = sinksIn({ plain: now.lineOf('plain', line), code: now.lineOf('code', line) }, sinks)
      if (kinds.length === 0 || takeOne(moved, now.lineOf('text', line).trim())) return []
      return kinds.map(kind => ({ kind, path, line: line + 1 }))
    })
  })
}

/** What is dangerous in one line, each kind once. */
export function sinksIn(line: { plain: string; code: string }, sinks: readonly Sink[]): SinkKind[] {
  if (line.plain.length > LONGEST_LINE) return []
  return [...new Set(sinks.filter(({ layer, form }) => form.test(line[layer])).map(({ kind }) => kind))]
}
