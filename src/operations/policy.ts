import * as z from 'zod'
import { visibleLine } from '../kernel/visible.ts'
import { decide, exitCodeOfVerdict } from '../policy/decide.ts'
import { CATEGORY_OF_VERB } from '../policy/facets.ts'
import { compiledScope, owns } from '../policy/layers/brief.ts'
import { sacredRowOf } from '../policy/layers/floor/sacred.ts'
import { offersFor } from '../policy/offers.ts'
import { changesDependencies } from '../policy/paths/manifest.ts'
import { resolvePath } from '../policy/paths/resolve-path.ts'
import type { PolicyScene } from '../policy/scene.ts'
import { type Access, type Category, type Decision, type PolicyOperation, VERDICTS } from '../policy/types.ts'
import { operation } from './operation.ts'
import type { Paint } from './paint.ts'
import { refuse, sceneFor, sceneInput } from './policy-question.ts'
import { AccessName, DecisionShape, EntryType, OfferShape, SegmentShape } from './policy-shapes.ts'

const explain = operation({
  name: 'policy.explain',
  summary: 'Whether something may be done, by which rule and why; nothing is done',
  when: 'Use it before an effect that may be refused, and after a refusal to see what would allow it.',
  effect: 'read',
  mcp: 'core',
  exitCodes: [4, 5],
  input: z.strictObject({
    command: z.string().optional().describe('Shell command'),
    path: z.string().optional().describe('File or folder'),
    access: AccessName().optional(),
    url: z.string().optional().describe('Address that would be fetched or sent to'),
    tool: z.string().optional().describe('Foreign tool as server.tool'),
    secret: z.string().optional().describe('Name of a secret that would be used'),
    verb: z.string().optional().describe('What would be done, such as net.send or secret.read'),
    operation: z.string().optional().describe('Another name of verb'),
    target_path: z.string().optional().describe('Another name of path'),
    exit_verdict: z.boolean().default(false).describe('Exit with 0, 5 or 4 for allow, ask, deny'),
    ...sceneInput,
  }),
  output: () => DecisionShape().extend({ offers: z.array(OfferShape()) }),
  examples: [
    'policy explain --command "npm test"',
    'policy explain --path .env --access read',
    'policy explain --command "rm -rf build" --exit-verdict',
  ],
  exitCode: (decision, { exit_verdict }) => (exit_verdict ? exitCodeOfVerdict(decision) : 0),
  run: async (app, input, call) => {
    const asked = target(input)
    const scene = await sceneFor(app, input, call.caller.surface)
    const decision = judge(asked, scene)
    const projectRoot = scene.facts.roots[0]?.real ?? '/'
    return { ...decision, offers: offersFor(decision, { commands: [], readShell: scene.readShell, projectRoot }) }
  },
  human: (decision, paint) => decisionText(decision, paint),
})

interface Asked {
  command?: string | undefined
  path?: string | undefined
  access?: Access | undefined
  url?: string | undefined
  tool?: string | undefined
  secret?: string | undefined
  verb?: string | undefined
  operation?: string | undefined
  target_path?: string | undefined
  category?: Category | undefined
}

const HOLDS: Record<'command' | 'path' | 'url' | 'tool' | 'secret', { categories: Category[]; verb: string }> = {
  command: { categories: ['shell', 'git'], verb: 'process.exec' },
  path: { categories: ['read', 'edit', 'external-directory', 'secrets'], verb: 'file.read' },
  url: { categories: ['network', 'read'], verb: 'net.get' },
  tool: { categories: ['provider-tool', 'memory'], verb: 'tool.call' },
  secret: { categories: ['secrets'], verb: 'secret.use' },
}

type Question = Omit<PolicyOperation, 'cwd' | 'facts' | 'context'>

/** The operation that a question is about, still without its scene. */
function target({ category, access, ...asked }: Asked): Question {
  const named = { command: asked.command, path: asked.path ?? asked.target_path, url: asked.url, tool: asked.tool, secret: asked.secret }
  const given = (Object.keys(named) as (keyof typeof named)[]).filter(key => named[key] !== undefined)
  const verb = asked.verb ?? asked.operation
  const [kind] = given
  if (given.length > 1) throw refuse('', `give one of ${given.join(', ')}, not several`)
  if (kind === undefined) {
    const known = category ?? (verb === undefined ? undefined : CATEGORY_OF_VERB[verb])
    if (known === undefined) throw refuse('', 'give a command, path, url, tool, secret or category')
    return { category: known, verb: verb ?? 'category' }
  }
  const holds = HOLDS[kind]
  if (category !== undefined && !holds.categories.includes(category))
    throw refuse('/category', `${category} cannot hold a ${kind}; it takes ${holds.categories.join(', ')}`)
  const way = access ?? (category === 'edit' || verb === 'file.write' ? 'write' : 'read')
  const base = {
    verb: verb ?? (kind === 'path' && way !== 'read' && way !== 'list' ? 'file.write' : holds.verb),
    ...(category !== undefined && kind === 'tool' && { category }),
  }
  const value = named[kind] ?? ''
  return kind === 'path' ? { ...base, paths: [{ path: value, access: way }] } : { ...base, [kind]: value }
}

function judge(question: Question, { cwd, facts, context, layers, readShell }: PolicyScene): Decision {
  return decide({ ...question, cwd, facts, context }, layers, readShell)
}

const shell = operation({
  name: 'policy.shell',
  summary: 'How a shell command is understood, part by part, and whether it may run; nothing is run',
  when: 'Use it before running a command that may be refused, to see which part decides.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [4, 5],
  positional: ['command'],
  input: z.strictObject({
    command: z.string().describe('Shell command'),
    exit_verdict: z.boolean().default(false).describe('Exit with 0, 5 or 4 for allow, ask, deny'),
    ...sceneInput,
  }),
  output: () =>
    z.strictObject({
      grammar: z.enum(['known', 'unknown']),
      unknown_reason: z.string().optional(),
      class: z.enum(['read-only', 'file-effect', 'network', 'destructive', 'other']),
      segments: z.array(SegmentShape()),
      verdict: z.enum(VERDICTS),
      decision: DecisionShape(),
    }),
  examples: ['policy shell "git log | tee out"', 'policy shell "cat a && make" --facts none --json'],
  exitCode: ({ decision }, { exit_verdict }) => (exit_verdict ? exitCodeOfVerdict(decision) : 0),
  run: async (app, input, call) => {
    const scene = await sceneFor(app, input, call.caller.surface)
    const reading = scene.readShell(input.command, { cwd: scene.cwd, facts: scene.facts })
    const decision = judge(target({ command: input.command, category: input.category }), scene)
    return {
      grammar: reading.grammar,
      ...(reading.unknown_reason !== undefined && { unknown_reason: reading.unknown_reason }),
      class: reading.class,
      segments: reading.segments.map(({ levels: _levels, ...segment }) => segment),
      verdict: decision.verdict,
      decision,
    }
  },
  human: ({ grammar, class: kind, segments, decision }, paint) =>
    [
      `${paint.bold('grammar')} ${grammar}  ${paint.bold('class')} ${kind}`,
      ...segments.map(
        segment => `  ${paint.glyph.bullet} ${visibleLine(segment.text)}  ${paint.dim([segment.class, ...segment.flags].join(' '))}`,
      ),
      decisionText(decision, paint),
    ].join('\n'),
})

const path = operation({
  name: 'policy.path',
  summary: 'Where a path really leads, what it counts as, and whether it may be used so',
  when: 'Use it to see why a path may not be read or written before you try it.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [4, 5],
  positional: ['path', 'access'],
  input: z.strictObject({
    path: z.string().describe('File or folder'),
    access: AccessName().default('read'),
    exit_verdict: z.boolean().default(false).describe('Exit with 0, 5 or 4 for allow, ask, deny'),
    ...sceneInput,
  }),
  output: () =>
    z.strictObject({
      absolute: z.string().nullable(),
      real: z.string().nullable(),
      exists: z.boolean().nullable(),
      type: EntryType(),
      root: z.string().nullable(),
      inside: z.boolean(),
      owned: z.boolean().nullable(),
      sensitive: z.boolean(),
      sacred: z.string().nullable(),
      decision: DecisionShape(),
    }),
  examples: ['policy path src/index.ts write', 'policy path ../other --json'],
  exitCode: ({ decision }, { exit_verdict }) => (exit_verdict ? exitCodeOfVerdict(decision) : 0),
  run: async (app, input, call) => {
    const scene = await sceneFor(app, input, call.caller.surface)
    const decision = judge(target({ path: input.path, access: input.access, category: input.category }), scene)
    return { ...aboutPath(input.path, input.access, scene), decision }
  },
})

const NOWHERE = {
  absolute: null,
  real: null,
  exists: null,
  type: null,
  root: null,
  inside: false,
  owned: null,
  sensitive: false,
  sacred: null,
}

function aboutPath(written: string, way: Access, { cwd, facts, context, layers }: PolicyScene) {
  const sensitive = [...layers.project, ...layers.personal].flatMap(({ policy }) => (policy.kind === 'loaded' ? policy.sensitive : []))
  const reading = resolvePath(written, way, cwd, facts, { sensitive, sensitiveExcept: layers.sensitiveExcept })
  if (reading.kind === 'malformed') return NOWHERE
  const { absolute, real, fact, root, project, sensitivity } = reading.path
  const isSecret = sensitivity?.kind === 'sensitive'
  const row = isSecret
    ? sensitivity.row
    : (sacredRowOf(reading.path, layers, facts.deployed)?.id ?? (changesDependencies(real, undefined) ? 'dependencies' : null))
  return {
    absolute,
    real,
    exists: fact?.exists ?? null,
    type: fact?.type ?? null,
    root: root?.path ?? null,
    inside: root !== null,
    owned: context.brief ? project !== null && owns(compiledScope(context.brief), project, false) : null,
    sensitive: isSecret,
    sacred: row === null ? null : (SACRED_OF_SENSITIVE[row] ?? row),
  }
}

/** Names of sacred rows whose paths are secret by their name. */
const SACRED_OF_SENSITIVE: Record<string, string> = {
  home: 'credentials',
  browser: 'credentials',
  login: 'credentials',
  'key-file': 'credentials',
  'ssh-key': 'credentials',
  'secrets-folder': 'credentials',
  added: 'credentials',
}

const MARKS = { allow: 'good', ask: 'careful', deny: 'bad' } as const
const GLYPHS = { allow: 'ok', ask: 'warn', deny: 'fail' } as const

type ShownDecision = z.output<ReturnType<typeof DecisionShape>>

/** The part that decided: the first one whose rule gave the verdict. */
function decisive({ facets, rule, verdict, code }: ShownDecision): string {
  const strictest = code === 'ask-without-person' ? 'ask' : verdict
  const facet = facets.find(one => one.verdict === strictest && one.rule.layer === rule.layer && one.rule.id === rule.id)
  if (!facet) return ''
  if (facet.path !== undefined) return `, for: ${facet.access} ${facet.path}`
  const target = facet.argv?.join(' ') ?? facet.host ?? facet.tool ?? facet.secret ?? facet.verb
  return `, for: ${facet.argv ? '' : `${facet.verb} `}${target}`
}

function decisionText(decision: ShownDecision, paint: Paint): string {
  const { verdict, code, reason, rule, trace } = decision
  const head = `${paint[MARKS[verdict]](`${paint.glyph[GLYPHS[verdict]]} ${verdict}`)}  ${visibleLine(reason)}`
  const by = paint.dim(`${code}, by ${rule.layer}: ${rule.id}${visibleLine(decisive(decision))}`)
  return [head, by, ...trace.map(entry => paint.dim(`  ${entry.facet}  ${entry.layer.padEnd(8)}  ${entry.answer}  ${entry.rule}`))].join(
    '\n',
  )
}

export const operations = [explain, shell, path] as const
