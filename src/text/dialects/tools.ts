import type { Effect, JsonSchema, Shape } from './types.ts'

/** What the reading of a reply knows about one tool. */
export interface Tool {
  name: string
  /** Absent where nobody said: then it is never taken for harmless. */
  effect?: Effect
  parameters?: JsonSchema
  /** The body fills the first of these that no attribute gives. */
  body: readonly string[]
  /** Its body arrives byte for byte. */
  exact: boolean
  /** With these attributes an opening tag alone is a whole call. */
  suffices?: readonly string[]
  /** What is cut off in the body of an unclosed call: at the end of its line. */
  oneLine?: true
}

const TYPES = { s: 'string', b: 'boolean', i: 'integer' } as const

interface Row extends Omit<Tool, 'name' | 'parameters' | 'exact'> {
  exact?: true
  /** `name:type`, in the order that positional arguments take. */
  takes: string
}

const EDIT = 'path:s body:s search:s replace:s all:b summary:s fidelity:s full:b index:b archive:b format:s preview:b'

const rows: [string[], Row][] = [
  [
    ['get'],
    {
      effect: 'read',
      body: ['path', 'body'],
      suffices: ['path'],
      oneLine: true,
      takes: 'path:s body:s preview:b line:i limit:i',
    },
  ],
  [['set'], { effect: 'write', body: ['body'], exact: true, takes: EDIT }],
  [['known', 'unknown'], { effect: 'read', body: ['body'], exact: true, takes: 'path:s body:s summary:s' }],
  [['env', 'sh'], { effect: 'execute', body: ['command'], takes: 'command:s' }],
  [['rm'], { effect: 'write', body: ['path', 'body'], suffices: ['path'], takes: 'path:s body:s preview:b' }],
  [['cp', 'mv'], { effect: 'write', body: ['to'], suffices: ['path', 'to'], takes: 'path:s to:s overwrite:b preview:b' }],
  [['search'], { effect: 'read', body: ['query'], suffices: ['query'], oneLine: true, takes: 'query:s results:i' }],
  [['summarize'], { effect: 'read', body: ['body'], exact: true, takes: 'body:s' }],
  [['update'], { effect: 'read', body: ['body'], exact: true, takes: 'body:s status:i' }],
  [['ask_user'], { effect: 'read', body: ['question', 'options'], takes: 'question:s options:s' }],
]

const defaults = new Map(rows.flatMap(([names, row]) => names.map(name => [name, fromRow(name, row)] as const)))

function fromRow(name: string, { takes, exact, ...rest }: Row): Tool {
  const properties = takes.split(' ').map(part => {
    const [argument = '', type = 's'] = part.split(':')
    return [argument, { type: TYPES[type as keyof typeof TYPES] }] as const
  })
  return { ...rest, name, exact: exact ?? false, parameters: { type: 'object', properties: Object.fromEntries(properties) } }
}

function fromShape({ name, effect, parameters, body }: Shape): Tool {
  const known = defaults.get(name)
  return {
    body: ['body'],
    exact: false,
    ...known,
    name,
    ...(effect && { effect }),
    ...(parameters && { parameters }),
    ...(body !== undefined && { body: [body] }),
  }
}

/** The tools of one reply. */
export interface Tools {
  /** Whether the caller said which tools there are. If not, a call in a provider's notation may name any. */
  given: boolean
  byName: ReadonlyMap<string, Tool>
  /** Other spellings under which a tool is offered: written name → its own. */
  nicknames: ReadonlyMap<string, string>
}

const SHELL = 'bash'
const SHELL_NICKNAMES = ['sh', 'shell']
const byDefault: Tools = { given: false, byName: defaults, nicknames: new Map() }

export function toolsOf(shapes?: readonly Shape[]): Tools {
  if (!shapes) return byDefault
  const byName = new Map(shapes.map(shape => [shape.name, fromShape(shape)]))
  const nicknames = byName.has(SHELL) ? SHELL_NICKNAMES.filter(name => !byName.has(name)).map(name => [name, SHELL] as const) : []
  return { given: true, byName, nicknames: new Map(nicknames) }
}

const FRONT = /^(?:functions[.:]|tools\.|default_api[.:])/
const BEHIND = /:\d+$/

/** The tool that a written name means: itself, then without what model providers put around names, then its last part.
 *  Where the tools were not given, every name is one. */
export function resolveName(written: string, { given, byName, nicknames }: Tools): { name: string; tool?: Tool } {
  const bare = written.replace(FRONT, '').replace(BEHIND, '')
  const last = bare.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('.'), bare.lastIndexOf(':')) + 1)
  for (const candidate of [written, bare, last]) {
    const tool = byName.get(candidate) ?? byName.get(nicknames.get(candidate) ?? '')
    if (tool) return { name: tool.name, tool }
  }
  return given ? { name: written } : { name: bare || written }
}

export function isKnownName(written: string, tools: Tools): boolean {
  return !tools.given || resolveName(written, tools).tool !== undefined
}
