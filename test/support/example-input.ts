import type { JsonObject } from '../../src/kernel/json.ts'
import { inputSchema } from '../../src/operations/describe.ts'
import type { AnyOperation } from '../../src/operations/operation.ts'
import { inputFlags, parseArguments } from '../../src/surfaces/cli/arguments.ts'
import { spelledOut } from '../../src/surfaces/cli/short-forms.ts'

/** Inputs for operations whose examples read a file in the shell. */
const OTHERS: Record<string, JsonObject> = {
  'edit.plan': { edit: '--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two\n', files: { 'a.txt': 'one\n' } },
}

/** An input that an operation takes: that of its first example. */
export function exampleInput(operation: AnyOperation): JsonObject {
  const [example = ''] = operation.examples
  return OTHERS[operation.name] ?? parseExample(operation, example)
}

export function parseExample(operation: AnyOperation, example: string): JsonObject {
  const words = spelledOut(shellWords(example.replace(/ > .*$/, ''))).slice(operation.name.split('.').length)
  return parseArguments(words, inputFlags(inputSchema(operation)), operation.positional ?? [], operation.streams ?? false).input
}

function shellWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(match => match[1] ?? match[2] ?? match[0])
}
