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
  /** More was spent than had been reserved; nothing may be reserved here any more. */
  closed: boolean
}

export interface Refusal {
  node: string
  dimension: Dimension
  wanted: number
  available: number
}

/** What a node has left of one dimension. */
function leftOf({ caps, settled, reserved }: NodeState, dimension: Dimension): number {
  const cap = caps[dimension]
  return cap === undefined ? Number.POSITIVE_INFINITY : cap - (settled[dimension] ?? 0) - (reserved[dimension] ?? 0)
}

/** Why an amount does not fit, the node itself and every node above it looked at; null where it does. */
export function whyNot(chain: readonly NodeState[], want: Amounts): Refusal | null {
  for (const node of chain) {
    for (const dimension of DIMENSIONS) {
      const wanted = want[dimension] ?? 0
      if (wanted <= 0) continue
      const available = node.closed ? 0 : Math.max(0, leftOf(node, dimension))
      if (wanted > available) return { node: node.id, dimension, wanted, available }
    }
  }
  return null
}

/** The least that the node and every node above it leave. */
export function availableOf(chain: readonly NodeState[], dimension: Dimension): number {
  return Math.min(...chain.map(node => (node.closed ? 0 : Math.max(0, leftOf(node, dimension)))))
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
