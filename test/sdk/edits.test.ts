import { expect, test } from 'vitest'
import * as edits from '../../src/sdk/edits.ts'

test('the library offers these names and no others', () => {
  expect(Object.keys(edits).sort()).toEqual(['applyEdit', 'matchStrings', 'planEdits', 'previewLines', 'selectEntries', 'splitReply'])
})
