import { STATEMENT_TYPE, type Statement } from './statement.ts'

const TEST_RESULT_TYPE = 'https://in-toto.io/attestation/test-result/v0.1'

/** F-34: the same subject and verdict for tools that know only this type. It is a view; `proof.check` never reads it. */
export function testResultOf({ subject, predicate }: Statement): object {
  const { command, verdict, runs, evidence } = predicate
  const [, commit] = subject
  const named = runs.map(({ name, n, exit }) => ({ test: `${name} ${n}: ${command.text}`, name, exit }))
  const results = named.filter(({ name }) => name === 'result')
  return {
    _type: STATEMENT_TYPE,
    predicateType: TEST_RESULT_TYPE,
    subject,
    predicate: {
      result: verdict === 'proven' ? 'PASSED' : 'FAILED',
      configuration: [
        { name: 'evidence', digest: evidence.manifest },
        { name: 'tested commit', digest: commit.digest },
      ],
      passedTests: results.filter(({ exit }) => exit === 0).map(({ test }) => test),
      warnedTests: [],
      failedTests: results.filter(({ exit }) => exit !== 0).map(({ test }) => test),
    },
  }
}
