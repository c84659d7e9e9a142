import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operationsPage } from './operations-page.ts'

writeFileSync(join(import.meta.dirname, '../docs/operations.md'), await operationsPage())
