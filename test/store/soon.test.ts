import { join } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Database } from '../../src/store/database.ts'
import { temporaryFolder } from '../support/folders.ts'

// What is written soon costs no transaction of its own, and is never seen later, in another order or by halves.

function twoOf() {
  const path = join(temporaryFolder(), 'notes.db')
  const db = new Database(path)
  db.exec('CREATE TABLE notes (n INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)')
  const other = new Database(path)
  const faults: unknown[] = []
  const note = (text: string): void => void db.run('INSERT INTO notes (text) VALUES (?)', text)
  return {
    db,
    other,
    note,
    faults,
    soon: (text: string): void =>
      db.soon(
        () => note(text),
        error => void faults.push(error),
      ),
    in: (which: Database) => which.all<{ text: string }>('SELECT text FROM notes ORDER BY n').map(({ text }) => text),
  }
}

describe('what is to be written soon', () => {
  test('stands together with the next transaction, before what that one writes', () => {
    const one = twoOf()
    one.soon('first')
    one.soon('second')
    expect(one.in(one.other)).toEqual([])
    one.db.transaction(() => {
      one.note('third')
      expect(one.in(one.other)).toEqual([])
    })
    expect(one.in(one.other)).toEqual(['first', 'second', 'third'])
  })

  test('stands by itself before the event loop goes on, before anything is read here, and before the file is closed', async () => {
    const one = twoOf()
    one.soon('round')
    await nextRound()
    expect(one.in(one.other)).toEqual(['round'])
    one.soon('read')
    expect(one.in(one.db)).toEqual(['round', 'read'])
    one.soon('run')
    one.note('after')
    expect(one.in(one.other)).toEqual(['round', 'read', 'run', 'after'])
    one.soon('closed')
    one.db.close()
    expect(one.in(one.other).at(-1)).toBe('closed')
  })

  test('stands in a copy that is made after it', async () => {
    const one = twoOf()
    const path = join(temporaryFolder(), 'copy.db')
    one.soon('copied')
    await one.db.copyTo(path)
    expect(one.in(new Database(path, 'read'))).toEqual(['copied'])
  })

  test('joins the transaction around it, and falls with that', () => {
    const one = twoOf()
    const both = (): void =>
      one.db.transaction(() => {
        one.soon('inside')
        throw new Error('no')
      })
    expect(both).toThrow('no')
    expect([one.in(one.db), one.faults]).toEqual([[], []])
  })

  test('is not taken back with the transaction that it was written with, nor takes that with it', () => {
    const one = twoOf()
    const told: string[] = []
    one.note('there')
    one.db.soon(
      () => {
        one.note('kept')
        one.db.afterCommit(() => void told.push('kept'))
      },
      error => void one.faults.push(error),
    )
    one.db.soon(
      () => {
        one.db.afterCommit(() => void told.push('lost'))
        one.note('half')
        one.note('there')
      },
      error => void one.faults.push(error),
    )
    const failing = (): void =>
      one.db.transaction(() => {
        one.note('gone')
        one.db.afterCommit(() => void told.push('gone'))
        throw new Error('no')
      })
    expect(failing).toThrow('no')
    expect(one.in(one.other)).toEqual(['there', 'kept'])
    expect(told).toEqual(['kept'])
    expect(one.faults).toHaveLength(1)
    expect(one.faults[0]).toMatchObject({ message: expect.stringContaining('UNIQUE') as string })
  })

  test('tells where the store cannot be written, and throws nowhere else', () => {
    const one = twoOf()
    one.other.exec('BEGIN IMMEDIATE')
    one.db.exec('PRAGMA busy_timeout = 1')
    one.soon('late')
    expect(one.in(one.db)).toEqual([])
    expect(one.faults).toMatchObject([{ code: 'busy' }])
    one.other.exec('COMMIT')
    one.note('later')
    expect(one.in(one.other)).toEqual(['later'])
  })
})
