// The store of a project, looked at from outside.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Event } from '../../src/kernel/event.ts'

export const openReadOnly = (root: string): DatabaseSync => new DatabaseSync(join(root, '.qed/qed.db'), { readOnly: true })

export function eventsIn(root: string): Event[] {
  const db = openReadOnly(root)
  const rows = db.prepare('SELECT * FROM events ORDER BY seq').all() as unknown as (Omit<Event, 'data'> & { data: string })[]
  db.close()
  return rows.map((row): Event => ({ ...row, data: JSON.parse(row.data) as Event['data'] }))
}

export interface BudgetNode {
  caps: Record<string, number>
  settled: Record<string, number>
  reserved: Record<string, number>
  closed: boolean
}

/** The budget of the newest run of a project, or of the project itself, as the store has it. */
export function budgetNode(root: string, which: 'run' | 'project' = 'run'): BudgetNode {
  const db = openReadOnly(root)
  const row = db.prepare('SELECT * FROM budget_nodes WHERE id GLOB ? ORDER BY id DESC LIMIT 1').get(`${which}[_:]*`) as Record<
    string,
    string | number
  >
  db.close()
  const [caps, settled, reserved] = ['caps', 'settled', 'reserved'].map(part => JSON.parse(String(row[part])) as Record<string, number>)
  return { caps: caps ?? {}, settled: settled ?? {}, reserved: reserved ?? {}, closed: row['closed'] === 1 }
}
