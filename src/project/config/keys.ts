import * as z from 'zod'
import type { Json } from '../../kernel/json.ts'

/** One setting. Rows are all there is to know about a key: its shape, default, words, and who may set it. */
export interface ConfigKey {
  /** Dotted path; `*` stands for a name of the person's choice. */
  key: string
  /** Made when first needed: building every shape at each start would cost more than all else that a short command does. */
  schema: () => z.ZodType
  default?: Json
  about: string
  /** A shorter environment name beside `QED_<KEY_PATH>`. */
  env?: string
  /** The project's file is someone else's text: `never` keeps it from setting the key; `stricter` lets it only tighten the
   *  personal value. */
  project?: 'never' | Stricter
}

/** Which of two values holds back more. */
interface Stricter {
  stricter: (a: Json, b: Json) => Json
}

const smaller: Stricter = { stricter: (a, b) => (Number(a) <= Number(b) ? a : b) }
const LEVELS = ['none', 'worktree', 'bubblewrap'] as const
const higherLevel: Stricter = {
  stricter: (a, b) => (LEVELS.indexOf(a as (typeof LEVELS)[number]) >= LEVELS.indexOf(b as (typeof LEVELS)[number]) ? a : b),
}

const name = () => z.string().min(1)
const names = () => z.array(name())
const count = () => z.int().positive()
const address = () => z.url({ protocol: /^https?$/ })
const digest = () => z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex')
const gate = () =>
  z.strictObject({
    name: z.string().regex(/^[a-z][a-z0-9-]*$/, 'expected a name of small letters, digits and dashes'),
    command: name().optional(),
    score: z.enum(['exit', 'json']).optional(),
    threshold: z.number().min(0).max(100).optional(),
    timeout_s: count().optional(),
    network: z.boolean().optional(),
  })
const secretSource = () => z.union([z.strictObject({ env: name() }), z.strictObject({ vault: name() })])

const price = () => z.number().nonnegative()
const prices = () => z.strictObject({ in: price(), out: price(), cached_in: price().optional(), write_in: price().optional() })

export const configKeys: ConfigKey[] = [
  { key: 'model', schema: name, about: 'Model that runs use: an alias of models, <provider>/<model>, or script:<file>' },
  { key: 'profile', schema: name, default: 'default', about: 'Profile that chooses agents, skills and models' },
  { key: 'mode', schema: () => z.enum(['act', 'plan', 'ask']), default: 'act', about: 'What runs may do unless they say otherwise' },
  { key: 'budget.tokens', schema: count, about: 'Most tokens of one run', project: smaller },
  { key: 'budget.cost_usd', schema: () => z.number().positive(), about: 'Most money of one run, in US dollars', project: smaller },
  { key: 'budget.tool_calls', schema: count, about: 'Most tool calls of one run', project: smaller },
  { key: 'budget.wall_s', schema: count, about: 'Most seconds of one run', project: smaller },
  { key: 'budget.project.tokens', schema: count, about: 'Most tokens of all runs of a project together', project: smaller },
  {
    key: 'budget.project.cost_usd',
    schema: () => z.number().positive(),
    about: 'Most money of all runs of a project together, in US dollars',
    project: smaller,
  },
  { key: 'budget.project.tool_calls', schema: count, about: 'Most tool calls of all runs of a project together', project: smaller },
  {
    key: 'shell.timeout_ms',
    schema: () => count().max(3_600_000),
    default: 120_000,
    about: 'Longest time of a command that does not ask for another',
  },
  { key: 'shell_in_sandbox', schema: () => z.enum(['ask', 'allow']), default: 'ask', about: 'Whether sandboxed commands run unasked' },
  { key: 'isolation.require', schema: () => z.enum(LEVELS), about: 'Least isolation that a run must have', project: higherLevel },
  { key: 'sandbox.env', schema: names, default: [], about: 'Names of environment variables that commands may see', project: 'never' },
  { key: 'sandbox.outputs', schema: names, default: [], about: 'Folders that commands may fill besides their scope' },
  { key: 'sandbox.include', schema: names, default: [], about: 'Ignored files that a place gets a copy of' },
  { key: 'sandbox.home_read', schema: names, default: [], about: 'Folders of the home that commands may read', project: 'never' },
  { key: 'sandbox.processes', schema: count, default: 8, about: 'Most commands that run at the same time', project: 'never' },
  { key: 'sandbox.places', schema: count, default: 16, about: 'Most places of one project', project: 'never' },
  { key: 'sandbox.places_bytes', schema: count, default: 20 * 2 ** 30, about: 'Most bytes that all places hold', project: 'never' },
  {
    key: 'snapshots.days',
    schema: count,
    default: 30,
    about: 'Days that snapshots are kept; the last 3 of a run always are',
    project: 'never',
  },
  { key: 'snapshots.landed_days', schema: count, default: 7, about: 'The same, of runs whose work has landed', project: 'never' },
  { key: 'backups.days', schema: count, default: 30, about: 'Days that backups are kept', project: 'never' },
  { key: 'proof.prepare', schema: name, about: "Command that makes dependencies present; a project's own needs trust" },
  { key: 'proof.tests', schema: names, default: [], about: 'Patterns of further test files' },
  { key: 'proof.protected', schema: names, default: [], about: 'Patterns of further files that work may not change to pass' },
  { key: 'proof.watch_outside', schema: names, default: [], about: 'Further files outside the project that work must leave alone' },
  { key: 'proof.secret_allow', schema: () => z.array(digest()), default: [], about: 'SHA-256 of values that only look secret' },
  { key: 'proof.gates', schema: () => z.array(gate()), default: [], about: 'Measurements of a result, each with a threshold' },
  { key: 'proof.vary', schema: () => z.boolean(), default: false, about: 'Also verify at another time, zone and locale' },
  { key: 'limits.turns', schema: count, default: 99, about: 'Most turns of one loop', env: 'QED_MAX_TURNS' },
  { key: 'limits.stalls', schema: count, default: 3, about: 'Turns in a row without signal or progress', env: 'QED_MAX_STALLS' },
  { key: 'limits.repetitions', schema: count, default: 3, about: 'Times that the same turns may recur', env: 'QED_MAX_REPETITIONS' },
  {
    key: 'limits.updateRepeats',
    schema: count,
    default: 3,
    about: 'Turns in a row with the same update and no progress',
    env: 'QED_MAX_UPDATE_REPEATS',
  },
  { key: 'approvals.ttl', schema: count, about: 'Seconds after which an unanswered ask is cancelled', project: smaller },
  { key: 'deployed_branches', schema: names, default: [], about: 'Branches that are live and need a person to change' },
  {
    key: 'mcp.tools',
    schema: () => z.string().regex(/^(core|full|qed_[a-z_]+(,qed_[a-z_]+)*)$/, 'expected core, full, or tool names with commas'),
    default: 'core',
    about: 'Tools that the MCP server offers',
  },
  { key: 'mcp.*.command', schema: () => names().min(1), about: "Command that starts an MCP server; a project's own needs trust" },
  { key: 'mcp.*.env', schema: names, about: 'Names of environment variables that the server may see', project: 'never' },
  {
    key: 'mcp.*.secrets',
    schema: names,
    about: 'Names of secrets in the vault that the server gets as variables; a personal rule must allow each',
    project: 'never',
  },
  { key: 'mcp.*.cwd', schema: name, about: 'Folder that the server starts in; the project unless told' },
  { key: 'mcp.*.network', schema: () => z.boolean(), about: 'Whether the server may reach the network', project: 'never' },
  { key: 'mcp.*.url', schema: address, about: "Address of an MCP server over HTTP; a project's own needs trust" },
  {
    key: 'mcp.*.key',
    schema: secretSource,
    about: 'Where the key for the address is: { "env": NAME } or { "vault": NAME }, never the key itself',
    project: 'never',
  },
  { key: 'mcp.*.enabled', schema: () => z.boolean(), about: 'Whether runs have the tools of the server' },
  { key: 'mcp.*.tools', schema: names, about: 'Patterns of the tools that runs have; left out, all' },
  { key: 'mcp.*.timeout_s', schema: count, about: 'Most seconds of one call; 60 unless told' },
  {
    key: 'http.port',
    schema: () => z.int().min(0).max(65535),
    default: 0,
    about: 'Port of qed serve; 0 takes any free one',
    env: 'QED_PORT',
    project: 'never',
  },
  { key: 'ui.color', schema: () => z.enum(['auto', 'always', 'never']), default: 'auto', about: 'Colours on the terminal' },
  { key: 'ui.ascii', schema: () => z.boolean(), default: false, about: 'Plain ASCII instead of glyphs', env: 'QED_ASCII' },
  { key: 'engine.models.*', schema: name, about: 'Model of one kind of run: code, explain, fix, plan or build' },
  { key: 'engine.fallback', schema: names, default: [], about: 'Models asked in this order when the chosen one fails', project: 'never' },
  { key: 'engine.sends', schema: count, default: 4, about: 'Most requests at once per model provider and key', project: 'never' },
  { key: 'memory.embedder', schema: name, about: 'Model that makes vectors for memory search' },
  {
    key: 'models.*.protocol',
    schema: () => z.enum(['openai-compatible', 'openai-chat', 'openai-responses', 'anthropic', 'google', 'script']),
    about: 'How the model is spoken to',
  },
  { key: 'models.*.model', schema: name, about: "The provider's name of the model" },
  { key: 'models.*.base_url', schema: address, about: 'Address of the model provider', project: 'never' },
  {
    key: 'models.*.key',
    schema: secretSource,
    about: 'Where the key is: { "env": NAME } or { "vault": NAME }, never the key itself',
    project: 'never',
  },
  { key: 'models.*.context', schema: count, about: 'Tokens that the model can see' },
  { key: 'models.*.prices', schema: prices, about: 'US dollars per million tokens: { in, out, cached_in?, write_in? }' },
  { key: 'models.*.strategy', schema: () => z.enum(['transcript', 'packet']), about: 'How its context is built' },
  { key: 'models.*.dialect', schema: () => z.enum(['native', 'tags']), about: 'How it calls tools' },
  { key: 'hosts.*.command', schema: () => names().min(1), about: 'Command that starts another agent tool', project: 'never' },
  { key: 'notify.bell', schema: () => z.boolean(), default: false, about: 'Ring the terminal when a person is needed', project: 'never' },
  { key: 'notify.command', schema: () => names().min(1), about: 'Command that gets notifications on its stdin', project: 'never' },
  {
    key: 'notify.webhook',
    schema: () => z.strictObject({ url: address(), key: z.strictObject({ vault: name() }).optional() }),
    about: 'Address that gets notifications',
    project: 'never',
  },
  {
    key: 'roots',
    schema: () => z.array(z.strictObject({ path: name(), access: z.enum(['read', 'write']) })),
    default: [],
    about: 'Folders outside the project that runs may use',
    project: 'never',
  },
  { key: 'sensitive_except', schema: names, default: [], about: 'Files with a sensitive name that are not secret', project: 'never' },
  { key: 'telemetry.endpoint', schema: address, about: 'OTLP/HTTP address for traces; none sends nothing', project: 'never' },
]
