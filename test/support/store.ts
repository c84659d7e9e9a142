import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { projectStore } from '../../src/store/kinds.ts'
import type { StoreKind } from '../../src/store/migrations.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { temporaryFolder } from './folders.ts'
import { logOptions } from './log-options.ts'

/** A store of its own for one test, closed afterwards. */
export function testStore(options: { path?: string; kind?: StoreKind } = {}): Store {
  const store = openStore(options.path ?? join(temporaryFolder(), 'qed.db'), options.kind ?? projectStore, {
    ...logOptions(),
    mayCreate: true,
  })
  onTestFinished(() => store.close())
  return store
}

export function happen(store: Store, times: number): void {
  for (let i = 1; i <= times; i++) store.log.append('test', 'test.happened', { i })
}
