import { QedError } from '../../kernel/errors.ts'
import type { Database } from '../../store/database.ts'
import type { EventLog } from '../../store/event-log.ts'
import { type Amounts, type Caps, type NodeState, newWarnings } from './amounts.ts'

class BudgetNodeUnknown extends QedError {
  readonly code = 'not_found'
  constructor(node: string) {
    super(`There is no budget of ${node}.`, { details: { node } })
  }
}

export interface NodeRow {
  id: string
  parent: string | null
  caps: string
  settled: string
  reserved: string
  closed: number
  warned: string
}

const MOST_LEVELS = 16

/** Budget nodes as rows. */
export function createNodeTable(db: Database, log: EventLog) {
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
  const find = (id: string): NodeRow | undefined => db.get<NodeRow>('SELECT * FROM budget_nodes WHERE id = ?', id)
  const insert = ({ id, parent, caps }: { id: string; parent: string | null; caps: Caps }): void =>
    void db.run(
      `INSERT INTO budget_nodes (id, parent, caps, settled, reserved, closed, warned) VALUES (?, ?, ?, '{}', '{}', 0, '[]')`,
      id,
      parent,
      JSON.stringify(caps),
    )
  const write = (row: NodeRow, state: NodeState): void => {
    const warned = JSON.parse(row.warned) as string[]
    const warnings = newWarnings(state, warned)
    db.run(
      'UPDATE budget_nodes SET caps = ?, settled = ?, reserved = ?, closed = ?, warned = ? WHERE id = ?',
      JSON.stringify(state.caps),
      JSON.stringify(state.settled),
      JSON.stringify(state.reserved),
      state.closed ? 1 : 0,
      JSON.stringify([...warned, ...warnings.map(({ dimension }) => dimension)]),
      row.id,
    )
    for (const warning of warnings) log.append('budget', 'budget.warning', { node: row.id, ...warning })
  }
  return { chainOf, find, insert, write }
}

export function toState({ id, caps, settled, reserved, closed }: NodeRow): NodeState {
  return {
    id,
    caps: JSON.parse(caps) as Caps,
    settled: JSON.parse(settled) as Amounts,
    reserved: JSON.parse(reserved) as Amounts,
    closed: closed === 1,
  }
}
