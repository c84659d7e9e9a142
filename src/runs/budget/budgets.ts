// Budgets in levels: project → mission → task → run. A reservation holds on its node and on every node above it, in one
// transaction, so that any number of processes never spend more than was agreed on.
import { type Clock, timestamp } from '../../kernel/clock.ts'
import { QedError } from '../../kernel/errors.ts'
import type { Database } from '../../store/database.ts'
import type { EventLog } from '../../store/event-log.ts'
import {
  type Amounts,
  availableOf,
  type Caps,
  DIMENSIONS,
  type Dimension,
  type NodeState,
  newWarnings,
  type Refusal,
  whyNot,
} from './amounts.ts'

export type ReserveOutcome = { ok: true; id: number } | ({ ok: false } & Refusal)

/** Settling or releasing a reservation a second time changes nothing. */
export interface Budgets {
  /** Makes a node, or gives its caps anew where it is there. */
  open: (node: { id: string; parent: string | null; caps: Caps }) => void
  reserve: (node: string, want: Amounts) => ReserveOutcome
  settle: (reservation: number, actual: Amounts) => void
  release: (reservation: number) => void
  available: (node: string, dimension: Dimension) => number
  state: (node: string) => NodeState
  /** Reservations of a node that a process left open when it died, settled in full: they may have been paid. */
  settleOpen: (node: string) => number
}

export class BudgetNodeUnknown extends QedError {
  readonly code = 'not_found'
  constructor(node: string) {
    super(`There is no budget of ${node}.`, { details: { node } })
  }
}

interface NodeRow {
  id: string
  parent: string | null
  caps: string
  settled: string
  reserved: string
  closed: number
  warned: string
}

const MOST_LEVELS = 16

export function createBudgets({ db, log, clock }: { db: Database; log: EventLog; clock: Clock }): Budgets {
  const chainOf = (id: string): NodeRow[] => {
    const rows = db.all<NodeRow>(
      `WITH RECURSIVE chain(id, level) AS (
         SELECT ?, 0 UNION ALL
         SELECT budget_nodes.parent, level + 1 FROM budget_nodes JOIN chain USING (id)
         WHERE budget_nodes.parent IS NOT NULL AND level < ${MOST_LEVELS})
       SELECT budget_nodes.* FROM chain JOIN budget_nodes USING (id) ORDER BY level`,
      id,
    )
    if (rows.length === 0) throw new BudgetNodeUnknown(id)
    return rows
  }
  const write = (row: NodeRow, state: NodeState): void => {
    const warned = JSON.parse(row.warned) as string[]
    const warnings = newWarnings(state, warned)
    db.run(
      'UPDATE budget_nodes SET settled = ?, reserved = ?, closed = ?, warned = ? WHERE id = ?',
      JSON.stringify(state.settled),
      JSON.stringify(state.reserved),
      state.closed ? 1 : 0,
      JSON.stringify([...warned, ...warnings.map(({ dimension }) => dimension)]),
      row.id,
    )
    for (const warning of warnings) log.append('budget', 'budget.warning', { node: row.id, ...warning })
  }
  /** Ends a reservation and books what was really spent, on every level. */
  const end = (id: number, actual: Amounts | 'as reserved'): void =>
    db.transaction(() => {
      const row = db.get<{ node: string; amounts: string }>('SELECT node, amounts FROM budget_reservations WHERE id = ?', id)
      if (!row) return
      const held = JSON.parse(row.amounts) as Amounts
      const spent = actual === 'as reserved' ? held : actual
      for (const node of chainOf(row.node)) {
        const state = toState(node)
        const exceeds = DIMENSIONS.some(
          dimension => (spent[dimension] ?? 0) > (held[dimension] ?? 0) && isOver(state, dimension, held, spent),
        )
        write(node, {
          ...state,
          reserved: minus(state.reserved, held),
          settled: plus(state.settled, spent),
          closed: state.closed || exceeds,
        })
      }
      db.run('DELETE FROM budget_reservations WHERE id = ?', id)
    })
  return {
    open: ({ id, parent, caps }) =>
      db.transaction(() => {
        db.run(
          `INSERT INTO budget_nodes (id, parent, caps, settled, reserved, closed, warned) VALUES (?, ?, ?, '{}', '{}', 0, '[]')
           ON CONFLICT (id) DO UPDATE SET caps = excluded.caps`,
          id,
          parent,
          JSON.stringify(caps),
        )
      }),
    reserve: (node, want) =>
      db.transaction((): ReserveOutcome => {
        const chain = chainOf(node)
        const refusal = whyNot(chain.map(toState), want)
        if (refusal) return { ok: false, ...refusal }
        for (const row of chain) {
          const reserved = JSON.stringify(plus(toState(row).reserved, want))
          db.run('UPDATE budget_nodes SET reserved = ? WHERE id = ?', reserved, row.id)
        }
        const made = db.get<{ id: number }>(
          'INSERT INTO budget_reservations (node, amounts, at) VALUES (?, ?, ?) RETURNING id',
          node,
          JSON.stringify(want),
          timestamp(clock),
        )
        return { ok: true, id: made?.id ?? 0 }
      }),
    settle: (id, actual) => end(id, actual),
    release: id => end(id, {}),
    available: (node, dimension) => availableOf(chainOf(node).map(toState), dimension),
    state: node => toState(chainOf(node)[0] as NodeRow),
    settleOpen: node =>
      db.transaction(() => {
        const open = db.all<{ id: number }>('SELECT id FROM budget_reservations WHERE node = ?', node)
        for (const { id } of open) end(id, 'as reserved')
        return open.length
      }),
  }
}

// More than reserved is booked in full; only where it breaks a cap is the node closed.
function isOver(state: NodeState, dimension: Dimension, held: Amounts, spent: Amounts): boolean {
  const cap = state.caps[dimension]
  if (cap === undefined) return false
  const others = (state.reserved[dimension] ?? 0) - (held[dimension] ?? 0)
  return (state.settled[dimension] ?? 0) + others + (spent[dimension] ?? 0) > cap
}

function toState({ id, caps, settled, reserved, closed }: NodeRow): NodeState {
  return {
    id,
    caps: JSON.parse(caps) as Caps,
    settled: JSON.parse(settled) as Amounts,
    reserved: JSON.parse(reserved) as Amounts,
    closed: closed === 1,
  }
}

function plus(a: Amounts, b: Amounts): Amounts {
  return each(dimension => (a[dimension] ?? 0) + (b[dimension] ?? 0))
}

function minus(a: Amounts, b: Amounts): Amounts {
  return each(dimension => Math.max(0, (a[dimension] ?? 0) - (b[dimension] ?? 0)))
}

function each(amount: (dimension: Dimension) => number): Amounts {
  return Object.fromEntries(DIMENSIONS.map(dimension => [dimension, amount(dimension)] as const).filter(([, sum]) => sum > 0))
}
