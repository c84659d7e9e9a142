import { changesDependencies } from '../../policy/paths/manifest.ts'
import type { Change, FileSide } from '../facts.ts'
import { generatedBecause } from '../judges/generated-text.ts'
import { type FindingRule, finding } from './rule.ts'

const LARGE = 1024 * 1024

const blobs =
  (rule: (path: string, after: FileSide) => ReturnType<FindingRule>): FindingRule =>
  ({ changes, terms }) => {
    const literal = new Set(terms.scope.owned)
    return changes.flatMap(({ path, after }) => (after === null || !isFile(after) || literal.has(path) ? [] : rule(path, after)))
  }

function isFile({ mode }: NonNullable<Change['after']>): boolean {
  return mode.startsWith('100')
}

const binary = blobs((path, { binary, size }) => (binary ? [finding('blob.binary', { path, measured: `${size} bytes` })] : []))

// Lock files are generated and large by nature; the rules about dependencies look at them.
const large = blobs((path, { size }) => (size > LARGE && !isLock(path) ? [finding('blob.large', { path, measured: `${size} bytes` })] : []))

const generated = blobs((path, { text }) => {
  const why = text === null || isLock(path) ? null : generatedBecause(path, text)
  return why === null ? [] : [finding('blob.generated', { path, measured: why })]
})

function isLock(path: string): boolean {
  return changesDependencies(path, undefined)
}

export const BLOB_RULES: readonly FindingRule[] = [binary, large, generated]
