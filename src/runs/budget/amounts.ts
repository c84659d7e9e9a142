/** What can be spent. */
export const DIMENSIONS = ['tokens', 'costMicroUsd', 'toolCalls', 'turns', 'wallMs'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** So much of each; what is not named is nothing. */
export type Amounts = Partial<Record<Dimension, number>>

/** The most of each; what is not named has no limit here, 0 means none at all. */
export type Caps = Partial<Record<Dimension, number>>

/** One node as it stands. */
export interface NodeState {
  id: string
  caps: Caps
  settled: Amounts
  reserved: Amounts
  /** More was spent than had been reserved, and a cap is broken: no model is asked here any more. */
  closed: boolean
}

export interface Refusal {
  node: string
  dimension: Dimension
  wanted: number
  available: number
}

/** What a closed node gives no more of. Calls of tools that the last reply asked for still run (L-12), and its time is not over. */
const OF_MODEL_CALLS: ReadonlySet<Dimension> = new Set<Dimension>(['tokens', 'costMicroUsd', 'turns'])

/** What a node has left of one dimension. */
function leftOf({ caps, settled, reserved, closed }: NodeState, dimension: Dimension): number {
  if (closed && OF_MODEL_CALLS.has(dimension)) return 0
  const cap = caps[dimension] ?? Number.POSITIVE_INFINITY
  return Math.max(0, cap - (settled[dimension] ?? 0) - (reserved[dimension] ?? 0))
}

/** More of something is spent than may be. */
export function isSpent({ caps, settled }: NodeState): boolean {
  return DIMENSIONS.some(dimension => (settled[dimension] ?? 0) > (caps[dimension] ?? Number.POSITIVE_INFINITY))
}

/** Why an amount does not fit, the node itself and every node above it looked at; null where it does. */
export function whyNot(chain: readonly NodeState[], want: Amounts): Refusal | null {
  for (const node of chain) {
    for (const dimension of DIMENSIONS) {
      const wanted = want[dimension] ?? 0
      if (wanted <= 0) continue
      const available = leftOf(node, dimension)
      if (wanted > available) return { node: node.id, available, wanted, dimension, ...(node.closed && brokenOf(node, want)) }
    }
  }
  return null
}

/** A closed node refuses everything; what is told is the cap that was broken. */
function brokenOf({ caps, settled }: NodeState, want: Amounts): Partial<Refusal> {
  const isBroken = (cap: Dimension): boolean => (settled[cap] ?? 0) > (caps[cap] ?? Number.POSITIVE_INFINITY)
  const dimension = DIMENSIONS.find(cap => (want[cap] ?? 0) > 0 && isBroken(cap))
  return dimension === undefined ? {} : { dimension, wanted: want[dimension] ?? 0 }
}

/** The least that the node and every node above it leave. */
export function availableOf(chain: readonly NodeState[], dimension: Dimension): number {
  return Math.min(...chain.map(node => leftOf(node, dimension)))
}

const WARN_AT = 0.8

/** Dimensions of which so much is used now that a person should hear of it, and was not before. */
export function newWarnings(node: NodeState, warned: readonly string[]): { dimension: Dimension; used: number; cap: number }[] {
  return DIMENSIONS.flatMap(dimension => {
    const cap = node.caps[dimension]
    const used = node.settled[dimension] ?? 0
    if (cap === undefined || cap === 0 || used < cap * WARN_AT || warned.includes(dimension)) return []
    return [{ dimension, used, cap }]
  })
}
