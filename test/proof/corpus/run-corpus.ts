import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mode, Row } from './row.ts'
import { type Outcome, runRow } from './run-row.ts'
import { createWorld } from './world.ts'

export interface Case {
  row: Row
  mode: Mode
}

export function casesOf(rows: readonly Row[]): Case[] {
  return rows.flatMap(row => (row.modes ?? ['sandbox']).map((mode): Case => ({ row, mode })))
}

export interface Pass {
  outcomeOf: (one: Case) => Promise<Outcome>
  /** Settles when all are done and nothing is left on the disk. */
  end: Promise<void>
}

/** Runs cases in order, two at a time. */
export function runCorpus(cases: readonly Case[], atOnce = 2): Pass {
  const world = createWorld(realpathSync(mkdtempSync(join(tmpdir(), 'qed-corpus-'))))
  const outcomes = new Map(cases.map(one => [one, Promise.withResolvers<Outcome>()]))
  const open = [...cases]
  const work = async (): Promise<void> => {
    for (let one = open.shift(); one !== undefined; one = open.shift()) {
      outcomes.get(one)?.resolve(await runRow(world, one.row, one.mode))
    }
  }
  const end = Promise.all(Array.from({ length: atOnce }, work)).then(() => world.close())
  const outcomeOf = (one: Case): Promise<Outcome> => {
    const found = outcomes.get(one)
    if (!found) throw new Error(`${one.row.id} is not part of this pass`)
    return found.promise
  }
  return { outcomeOf, end }
}
