// Budgets in levels: project → mission → task → run. A reservation holds on its node and on every node above it, in one
// transaction, so that any number of processes never spend more than was agreed on.
import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Clock, timestamp } from '../../kernel/clock.ts'
import type { Database } from '../../store/database.ts'
import type { EventLog } from '../../store/event-log.ts'
import {
  type Amounts,
  availableOf,
  type Caps,
  DIMENSIONS,
  type Dimension,
  isSpent,
  type NodeState,
  type Refusal,
  whyNot,
} from './amounts.ts'
import { type BudgetNode, createNodeTable } from './node-table.ts'

type ReserveOutcome = { ok: true; id: number } | ({ ok: false } & Refusal)

/** Settling or releasing a reservation a second time changes nothing. */
export interface Budgets {
  /** Makes a node, or gives its caps anew where it is there; caps that change are written to the log, with whoever changed them. */
  open: (node: { id: string; parent: string | null; caps: Caps }, by: string) => void
  /** `want` may look at what is left before it says how much. */
  reserve: (node: string, want: Amounts | ((left: (dimension: Dimension) => number) => Amounts)) => ReserveOutcome
  settle: (reservation: number, actual: Amounts) => void
  release: (reservation: number) => void
  /** Reserves and settles at once what costs the same whatever becomes of it. */
  take: (node: string, want: Amounts) => { ok: true } | ({ ok: false } & Refusal)
  /** What was spent without having been reserved, booked in full; less than nothing gives back. */
  spend: (node: string, spent: Amounts) => void
  available: (node: string, dimension: Dimension) => number
  state: (node: string) => NodeState
  /** Reservations of a node that a process left open when it died, settled in full: they may have been paid. */
  settleOpen: (node: string) => number
}

export function createBudgets({ db, log, clock }: { db: Database; log: EventLog; clock: Clock }): Budgets {
  const { chainOf, find, read, insert, write } = createNodeTable(db, log)
  /** Books what was really spent, on every level, in the place of what had been held for it. */
  const book = (chain: readonly BudgetNode[], held: Amounts, spent: Amounts): void => {
    for (const node of chain) {
      const exceeds = DIMENSIONS.some(dimension => (spent[dimension] ?? 0) > (held[dimension] ?? 0) && isOver(node, dimension, held, spent))
      write({
        ...node,
        reserved: minus(node.reserved, held),
        settled: plus(node.settled, spent),
        closed: node.closed || exceeds,
      })
    }
  }
  const end = (id: number, actual: Amounts | 'as reserved'): void =>
    db.transaction(() => {
      const row = db.get<{ node: string; amounts: string }>('SELECT node, amounts FROM budget_reservations WHERE id = ?', id)
      if (!row) return
      const held = JSON.parse(row.amounts) as Amounts
      book(chainOf(row.node), held, actual === 'as reserved' ? held : actual)
      db.run('DELETE FROM budget_reservations WHERE id = ?', id)
    })
  return {
    open: ({ id, parent, caps }, by) =>
      db.transaction(() => {
        const before = find(id)
        if (!before) return insert({ id, parent, caps })
        if (isDeepStrictEqual(before.caps, caps)) return
        // A cap that was raised above what is spent opens the node again.
        write({ ...before, caps, closed: isSpent({ ...before, caps }) })
        log.append('budget', 'budget.changed', { node: id, before: { ...before.caps }, caps: { ...caps }, by })
      }),
    reserve: (node, wanted) =>
      db.transaction((): ReserveOutcome => {
        const chain = chainOf(node)
        const want = typeof wanted === 'function' ? wanted(dimension => availableOf(chain, dimension)) : wanted
        const refusal = whyNot(chain, want)
        if (refusal) return { ok: false, ...refusal }
        for (const node of chain) write({ ...node, reserved: plus(node.reserved, want) })
        // Never given out twice: settling one that has ended must not end another.
        const id = randomInt(2 ** 48 - 1)
        db.run(
          'INSERT INTO budget_reservations (id, node, amounts, at) VALUES (?, ?, ?, ?)',
          id,
          node,
          JSON.stringify(want),
          timestamp(clock),
        )
        return { ok: true, id }
      }),
    settle: (id, actual) => end(id, actual),
    take: (node, want) =>
      db.transaction(() => {
        const chain = chainOf(node)
        const refusal = whyNot(chain, want)
        if (refusal) return { ok: false, ...refusal }
        book(chain, {}, want)
        return { ok: true }
      }),
    spend: (node, spent) => db.transaction(() => book(chainOf(node), {}, spent)),
    release: id => end(id, {}),
    available: (node, dimension) => db.snapshot(() => availableOf(chainOf(node), dimension)),
    state: read,
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

function plus(a: Amounts, b: Amounts): Amounts {
  return each(dimension => (a[dimension] ?? 0) + (b[dimension] ?? 0))
}

function minus(a: Amounts, b: Amounts): Amounts {
  return each(dimension => Math.max(0, (a[dimension] ?? 0) - (b[dimension] ?? 0)))
}

function each(amount: (dimension: Dimension) => number): Amounts {
  return Object.fromEntries(DIMENSIONS.map(dimension => [dimension, amount(dimension)] as const).filter(([, sum]) => sum > 0))
}
