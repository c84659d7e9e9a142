import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCatalogue, SINGLE_WORDS } from '../../src/operations/catalogue.ts'
import { describe as describeOperation, inputSchema, mcpSetOf } from '../../src/operations/describe.ts'
import { checkInput, commandOf } from '../../src/operations/invoke.ts'
import { inputFlags } from '../../src/surfaces/cli/arguments.ts'
import { findCommand } from '../../src/surfaces/cli/find-command.ts'
import { GLOBAL_FLAGS } from '../../src/surfaces/cli/globals.ts'
import { parseExample } from '../support/example-input.ts'

const catalogue = createCatalogue()
const all = await catalogue.all()

describe.each(all.map(operation => [operation.name, operation] as const))('%s', (name, operation) => {
  test('U-1 has a name from which every surface’s name follows', () => {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)?$/)
    expect(name.includes('.') || SINGLE_WORDS.includes(name)).toBe(true)
  })

  test('U-3 refuses unknown keys and has snake_case ones', () => {
    expect(inputSchema(operation)['additionalProperties']).toBe(false)
    for (const { key } of inputFlags(inputSchema(operation))) expect(key).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })

  test('U-7 takes positions by keys that it has, and its flags do not hide global ones', () => {
    const flags = inputFlags(inputSchema(operation))
    expect(flags.map(flag => flag.key)).toEqual(expect.arrayContaining(operation.positional ?? []))
    // `stream` is the name of a log's stream where nothing can be streamed; `profile` is the advisor's where policy is asked about.
    // U-9, F-38: a proof's time limit is of one run, and its evidence may be left unwritten.
    const meant =
      name === 'proof.run' ? ['timeout', 'store'] : operation.streams ? [] : ['stream', ...(name.startsWith('policy.') ? ['profile'] : [])]
    const hidden = flags.map(flag => flag.name).filter(flag => GLOBAL_FLAGS.some(global => global.name === flag) && !meant.includes(flag))
    expect(hidden).toEqual([])
  })

  test.each(operation.examples.map(example => [example]))('U-13 its example "%s" is a command that works', async example => {
    const words = example.split(' ')
    expect(await findCommand(words, catalogue, [])).toMatchObject({ kind: 'operation', operation: { name } })
    expect(checkInput(example, operation.input, parseExample(operation, example), { unknownKeys: 'refuse' })).toBeTypeOf('object')
  })

  test('can be described as data', () => {
    expect(describeOperation(operation)).toMatchObject({
      name,
      effect: expect.stringMatching(/^(read|write|execute)$/),
      surfaces: expect.arrayContaining(['cli', 'rpc', 'http']),
    })
    expect(commandOf(operation)).toBe(`qed ${name.replace('.', ' ')}`)
  })
})

test('RPC-15: every command that the program or its docs print has the name of its operation, and not its twin of show and get', () => {
  const names = new Set(all.map(operation => operation.name))
  const nouns = new Set(all.map(({ name }) => name.split('.')[0]))
  const house = join(import.meta.dirname, '../..')
  const texts = ['src', 'docs', 'integrations', 'README.md', 'CHANGELOG.md'].flatMap(part => textsIn(join(house, part)))
  const printed = texts.flatMap(text => [...text.matchAll(/\b(?:qed |examples: .*')([a-z]+) (show|get)\b/g)])
  expect(printed.length).toBeGreaterThan(10)
  expect(printed.filter(([, noun, verb]) => nouns.has(noun) && !names.has(`${noun}.${verb}`)).map(([text]) => text)).toEqual([])
})

function textsIn(path: string): string[] {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [readFileSync(path, 'utf8')]
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(file => /\.(ts|md|html)$/.test(file))
  return files.map(file => readFileSync(join(path, file), 'utf8'))
}

const offered = all.filter(operation => mcpSetOf(operation) !== 'never')

test.each(offered.map(operation => [operation.name, operation] as const))(
  'U-20 %s tells an agent what it does and when to use it, in at most 300 characters',
  (_, { summary, when = '' }) => {
    expect(when).toMatch(/^[A-Z].{20,}\.$/)
    expect(`${summary}. ${when}`.length).toBeLessThanOrEqual(300)
  },
)

test('every single word also answers to system.<word>', async () => {
  for (const word of SINGLE_WORDS) expect((await catalogue.find(`system.${word}`)).name).toBe(word)
})

test('an unknown operation names the nearest ones', async () => {
  await expect(catalogue.find('events.lst')).rejects.toMatchObject({ code: 'not_found', near: ['events.list'] })
})
