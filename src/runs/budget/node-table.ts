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

export interface BudgetNode extends NodeState {
  parent: string | null
  /** Dimensions of which a person has heard. */
  warned: string[]
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

/** Budget nodes as rows. */
export function createNodeTable(db: Database, log: EventLog) {
  const find = (id: string): BudgetNode | null => {
    const row = db.get<NodeRow>('SELECT * FROM budget_nodes WHERE id = ?', id)
    return row ? toNode(row) : null
  }
  const read = (id: string): BudgetNode => {
    const node = find(id)
    if (!node) throw new BudgetNodeUnknown(id)
    return node
  }
  /** The node and every node above it. */
  const chainOf = (id: string): BudgetNode[] => {
    const chain = [read(id)]
    for (let up = chain[0]?.parent; up && chain.length < MOST_LEVELS; up = chain.at(-1)?.parent) chain.push(read(up))
    return chain
  }
  const insert = ({ id, parent, caps }: { id: string; parent: string | null; caps: Caps }): void =>
    void db.run(
      `INSERT INTO budget_nodes (id, parent, caps, settled, reserved, closed, warned) VALUES (?, ?, ?, '{}', '{}', 0, '[]')`,
      id,
      parent,
      JSON.stringify(caps),
    )
  const write = (node: BudgetNode): void => {
    const warnings = newWarnings(node, node.warned)
    db.run(
      'UPDATE budget_nodes SET caps = ?, settled = ?, reserved = ?, closed = ?, warned = ? WHERE id = ?',
      JSON.stringify(node.caps),
      JSON.stringify(node.settled),
      JSON.stringify(node.reserved),
      node.closed ? 1 : 0,
      JSON.stringify([...node.warned, ...warnings.map(({ dimension }) => dimension)]),
      node.id,
    )
    for (const warning of warnings) log.append('budget', 'budget.warning', { node: node.id, ...warning })
  }
  return { chainOf, find, read, insert, write }
}

function toNode({ id, parent, caps, settled, reserved, closed, warned }: NodeRow): BudgetNode {
  return {
    id,
    parent,
    caps: JSON.parse(caps) as Caps,
    settled: JSON.parse(settled) as Amounts,
    reserved: JSON.parse(reserved) as Amounts,
    closed: closed === 1,
    warned: JSON.parse(warned) as string[],
  }
}
