import { isPlainObject, type Json } from '../kernel/json.ts'
import { shellWord } from '../kernel/shell-word.ts'
import type { KeptRule } from '../runs/approval.ts'

type Say = (value: string, rule: KeptRule) => string | null

const ACTS: Readonly<Record<string, string>> = { read: 'reading', edit: 'changing' }
const SENDS: Readonly<Record<string, string>> = { 'net.get': 'fetching from', 'net.send': 'sending to' }
const MEMORY: Readonly<Record<string, string>> = { 'memory.search': 'searching the memory', 'memory.save': 'saving to the memory' }

/** By what a remembered rule is about; the first that it has decides. */
const SAYINGS: readonly (readonly [selector: string, say: Say])[] = [
  [
    'command',
    command =>
      command.endsWith(' **') ? `every command that begins with ${command.slice(0, -3)}` : `the command ${command}, exactly as it stands`,
  ],
  ['path', (path, { category }) => `${wordOf(ACTS, category) ?? 'using'} ${path.replace(/\[([*?[])\]/g, '$1')}`],
  ['host', (host, { verb }) => `${wordOf(SENDS, verb) ?? 'reaching'} ${host}`],
  ['tool', tool => `the tool ${tool}, with any arguments`],
  ['verb', verb => wordOf(MEMORY, verb)],
]

/** What a remembered rule allows, for a person. A rule of another kind is shown as it stands. */
export function ruleWords(rule: KeptRule): string {
  for (const [selector, say] of SAYINGS) {
    const value = rule[selector]
    if (value !== undefined) return say(spelled(value), rule) ?? JSON.stringify(rule)
  }
  return JSON.stringify(rule)
}

function wordOf(words: Readonly<Record<string, string>>, key: Json | undefined): string | null {
  return typeof key === 'string' && Object.hasOwn(words, key) ? (words[key] ?? null) : null
}

/** A command may be kept word by word, where a pattern could not spell it. */
function spelled(value: Json): string {
  if (typeof value === 'string') return value
  const words = isPlainObject(value) && Array.isArray(value['argv']) ? (value['argv'] as string[]) : null
  return words ? words.map(shellWord).join(' ') : JSON.stringify(value)
}
