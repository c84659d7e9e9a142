import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GENESIS } from '../../src/store/event-log.ts'
import { emptyJournal } from '../../src/store/maintenance.ts'
import { verifyChain } from '../../src/store/verify-chain.ts'
import { temporaryFolder } from '../support/folders.ts'
import { happen, testStore } from '../support/store.ts'

describe('appending', () => {
  test('each event links to the one before it', () => {
    const store = testStore()
    const [first, second] = [store.log.append('test', 'test.happened', { b: 1, a: 2 }), store.log.append('test:one', 'test.happened', {})]
    expect(first).toMatchObject({
      seq: 1,
      stream: 'test',
      type: 'test.happened',
      at: '2026-01-31T12:00:00.000Z',
      data: { a: 2, b: 1 },
      prev: GENESIS,
    })
    expect(second).toMatchObject({ seq: 2, prev: first.hash })
    expect(verifyChain(store.log.rows())).toEqual({ ok: true, count: 2, head: { seq: 2, hash: second.hash } })
  })

  test.each([
    ['a stream that nobody declared', 'nowhere', 'test.happened'],
    ['a type that the stream does not have', 'test', 'test.unheard'],
    ['a type by the name of an object method', 'test', 'toString'],
    ['a stream name with a line break', 'test:a\nb', 'test.happened'],
    ['a stream by the name of an object method', 'constructor', 'test.happened'],
  ])('%s is refused and nothing is written', (_, stream, type) => {
    const store = testStore()
    expect(() => store.log.append(stream, type, {})).toThrow(expect.objectContaining({ code: 'invalid_input' }))
    expect(store.log.head()).toBeNull()
  })

  test('a secret never reaches the file', () => {
    const path = join(temporaryFolder(), 'qed.db')
    const store = testStore({ path })
    const secret = ['sk-', 'Q'.repeat(40)].join('')
    store.log.append('test', 'test.happened', { said: `my key is ${secret}` })
    store.close()
    expect(readFileSync(path).includes(secret)).toBe(false)
  })

  test('data over the limit is refused with its size', () => {
    const store = testStore()
    expect(() => store.log.append('test', 'test.happened', { text: 'x'.repeat(2 << 20) })).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    )
    expect(store.log.head()).toBeNull()
  })

  test('an event and the state that it tells of are written together or not at all', () => {
    const store = testStore()
    store.db.exec('CREATE TABLE counter (n INTEGER)')
    expect(() =>
      store.db.transaction(() => {
        store.db.run('INSERT INTO counter VALUES (1)')
        store.log.append('test', 'test.happened', {})
        throw new Error('crash')
      }),
    ).toThrow('crash')
    expect([store.db.all('SELECT * FROM counter'), store.log.head()]).toEqual([[], null])
  })
})

describe('listing', () => {
  test('by stream with a pattern, by type and after a seq', () => {
    const store = testStore()
    for (const stream of ['test', 'test:a', 'test:b', 'test:a']) store.log.append(stream, 'test.happened', {})
    const seqs = (filter: Parameters<typeof store.log.list>[0]) => store.log.list(filter, 10).map(event => event.seq)
    expect([
      seqs({}),
      seqs({ streams: ['test:a'] }),
      seqs({ streams: ['test:*'] }),
      seqs({ after: 2 }),
      seqs({ types: ['other'] }),
      seqs({ streams: ['test:[ab]'] }),
    ]).toEqual([[1, 2, 3, 4], [2, 4], [2, 3, 4], [3, 4], [], []])
  })
})

describe('verifying names the first broken link', () => {
  test.each([
    ['changed data', 'UPDATE events SET data = \'{"i":99}\' WHERE seq = 3', 3, 'its content does not fit its hash'],
    ['a changed time', "UPDATE events SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 4", 4, 'its content does not fit its hash'],
    ['a removed event', 'DELETE FROM events WHERE seq = 2', 2, 'event 2 is missing (the next one is 3)'],
    ['a removed first event', 'DELETE FROM events WHERE seq = 1', 1, 'event 1 is missing (the next one is 2)'],
    [
      'two events swapped',
      'UPDATE events SET seq = -seq WHERE seq IN (3, 4); UPDATE events SET seq = 7 + seq WHERE seq < 0',
      3,
      'it does not link to the event before it',
    ],
    [
      'data taken out by hand',
      `UPDATE events SET data = '{"redacted":true,"sha256":"${'0'.repeat(64)}"}' WHERE seq = 5`,
      5,
      'its content does not fit its hash',
    ],
  ])('%s', (_, sql, seq, reason) => {
    const store = testStore()
    happen(store, 6)
    store.db.exec(sql)
    expect(verifyChain(store.log.rows())).toMatchObject({ ok: false, broken: { seq, reason } })
  })

  test('and lets the store be read and written as before, whoever writes beside it', () => {
    const store = testStore()
    happen(store, 6)
    store.db.exec('DELETE FROM events WHERE seq = 2')
    expect(verifyChain(store.log.rows()).ok).toBe(false)
    happen(testStore({ path: store.db.path }), 1)
    expect(store.log.head()?.seq).toBe(7)
    happen(store, 1)
    expect(store.log.head()?.seq).toBe(8)
  })

  test('an empty log is valid', () => {
    expect(verifyChain(testStore().log.rows())).toEqual({ ok: true, count: 0, head: null })
  })
})

describe('I-9 redacting', () => {
  test('takes the data out for good, keeps the chain valid and leaves a record', () => {
    const path = join(temporaryFolder(), 'qed.db')
    const store = testStore({ path })
    happen(store, 2)
    const canary = 'a customer called Zebedee Quux'
    store.log.append('test', 'test.happened', { said: canary })
    happen(store, 2)
    const event = store.log.redact({ seq: 3, reason: 'a name', by: 'person:cli' })
    expect(event.data).toEqual({ redacted: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(verifyChain(store.log.rows())).toMatchObject({ ok: true, count: 6 })
    expect(store.log.list({ streams: ['log'] }, 10)).toMatchObject([
      { type: 'events.redacted', data: { seq: 3, reason: 'a name', by: 'person:cli' } },
    ])
    expect(emptyJournal(store.db)).toBe(true)
    for (const file of [path, `${path}-wal`]) expect(bytesOf(file).includes('Zebedee')).toBe(false)
  })

  test('data that was taken out without a record breaks the chain', () => {
    const store = testStore()
    happen(store, 3)
    store.log.redact({ seq: 2, reason: 'x', by: 'person:cli' })
    store.db.exec("DELETE FROM events WHERE type = 'events.redacted'")
    expect(verifyChain(store.log.rows())).toMatchObject({ ok: false, broken: { seq: 2 } })
  })

  test('an event that is not there, redacted already, or the record of a redaction, is refused', () => {
    const store = testStore()
    happen(store, 1)
    store.log.redact({ seq: 1, reason: 'x', by: 'person:cli' })
    expect(() => store.log.redact({ seq: 2, reason: 'x', by: 'person:cli' })).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(() => store.log.redact({ seq: 1, reason: 'x', by: 'person:cli' })).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(() => store.log.redact({ seq: 9, reason: 'x', by: 'person:cli' })).toThrow(expect.objectContaining({ code: 'not_found' }))
  })
})

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

describe('hearing', () => {
  test('an event is heard when the transaction around it stands, in order, and never when it is taken back', () => {
    const store = testStore()
    const heard: number[] = []
    const stop = store.log.hear(({ seq }) => void heard.push(seq))
    store.db.transaction(() => {
      happen(store, 1)
      store.db.transaction(() => happen(store, 1))
      expect(heard).toEqual([])
    })
    expect(heard).toEqual([1, 2])
    const failing = (): void =>
      store.db.transaction(() => {
        happen(store, 1)
        throw new Error('no')
      })
    expect(failing).toThrow('no')
    happen(store, 1)
    stop()
    happen(store, 1)
    expect(heard).toEqual([1, 2, 3])
  })
})
