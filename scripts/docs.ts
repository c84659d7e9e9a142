import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFindings } from './findings-table.ts'
import { operationsPage } from './operations-page.ts'
import { readingOperationsFile } from './reading-operations.ts'

const docs = join(import.meta.dirname, '../docs')
writeFileSync(join(docs, 'operations.md'), await operationsPage())
writeFileSync(join(docs, 'proof.md'), withFindings(readFileSync(join(docs, 'proof.md'), 'utf8')))
writeFileSync(join(import.meta.dirname, '../src/operations/reading-operations.ts'), await readingOperationsFile())
