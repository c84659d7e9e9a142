import type { Finding, Severity } from '../../kernel/finding.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { version } from '../../kernel/version.ts'
import { FINDINGS } from '../findings/catalogue.ts'
import type { Proof } from '../proof.ts'
import { PROOF_LIMITS } from './limits.ts'
import { orderedFindings, whyOf } from './summary.ts'

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'
const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = { error: 'error', review: 'warning', info: 'note' }
const RULE_IDS = Object.keys(FINDINGS)
const ROOT = 'PROJECTROOT'

/** SARIF 2.1.0, for tools that show findings beside the code. Every finding there is stands as a rule. */
export function proofAsSarif(proof: Proof): JsonObject {
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'QED', semanticVersion: version, rules: Object.entries(FINDINGS).map(([id, row]) => rule(id, row)) } },
        automationDetails: { id: `qed/proof/${proof.proof_id}` },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the project.' } } },
        invocations: [
          {
            executionSuccessful: !proof.causes.some(cause => cause === 'interrupted' || cause === 'environment'),
            commandLine: proof.command.text,
            startTimeUtc: proof.started_at,
            endTimeUtc: proof.ended_at,
          },
        ],
        properties: {
          verdict: proof.verdict,
          causes: proof.causes,
          why: whyOf(proof),
          tree: proof.result.tree,
          commit: proof.result.commit,
          limits: [...PROOF_LIMITS],
        },
        results: orderedFindings(proof.findings).map(result),
      },
    ],
  }
}

function rule(id: string, { severity, hint }: { severity: Severity; hint: string }): JsonObject {
  return {
    id,
    name: id.replace(/(?:^|[.-])(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: `${id} (${severity})` },
    help: { text: hint },
    defaultConfiguration: { level: LEVELS[severity] },
  }
}

function result(finding: Finding): JsonObject {
  const { id, severity, path, line, hint, said, measured, accepted } = finding
  const index = RULE_IDS.indexOf(id)
  const facts = [said !== undefined && `Said: ${said}.`, measured !== undefined && `Measured: ${measured}.`].filter(
    text => typeof text === 'string',
  )
  return {
    ruleId: id,
    ...(index >= 0 && { ruleIndex: index }),
    level: LEVELS[severity],
    message: { text: [hint, ...facts].join(' ') },
    locations: path === undefined ? [] : [location(path, line)],
    partialFingerprints: { 'finding/v1': sha256(JSON.stringify([id, path ?? '', measured ?? ''])) },
    ...(accepted && { suppressions: [{ kind: 'external', status: 'accepted', justification: `${accepted.by}: ${accepted.reason}` }] }),
  }
}

function location(path: string, line: number | undefined): JsonObject {
  const uri = path.toWellFormed().split('/').map(encodeURIComponent).join('/')
  return {
    physicalLocation: { artifactLocation: { uri, uriBaseId: ROOT }, ...(line !== undefined && { region: { startLine: line } }) },
  }
}
