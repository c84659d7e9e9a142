import { QedError } from '../kernel/errors.ts'
import { nearest } from '../kernel/names.ts'
import type { Catalogue, Group } from './operation.ts'

/** To add an ability: add it to a group's file, or add a file and its row here. */
export const groups = [
  { noun: 'demo', about: 'See QED at work in a temporary repository', section: 'work', load: () => import('./system/demo.ts') },
  { noun: 'run', about: 'Work of a model: start, look, go on, stop', section: 'work', load: () => import('./run.ts') },
  { noun: 'approval', about: 'What runs ask a person for, and the answers', section: 'review', load: () => import('./approval.ts') },
  { noun: 'attempt', about: 'Effects of runs: done, failed, under way, unknown', section: 'review', load: () => import('./attempt.ts') },
  {
    noun: 'proof',
    about: 'What was measured of work, signed, and whether it still holds',
    section: 'review',
    load: () => import('./proof.ts'),
  },
  { noun: 'edit', about: 'What a model wrote about a file, made its new content', section: 'work', load: () => import('./edit.ts') },
  { noun: 'pattern', about: 'What a glob, expression or literal matches', section: 'work', load: () => import('./pattern.ts') },
  { noun: 'dialect', about: 'Tool calls in the raw text of a model', section: 'work', load: () => import('./dialect.ts') },
  { noun: 'turn', about: 'When a loop goes on and when it ends', section: 'work', load: () => import('./turn.ts') },
  { noun: 'status', about: 'Where the project stands and what to do next', section: 'review', load: () => import('./system/status.ts') },
  { noun: 'events', about: 'The hash-chained log of everything that happened', section: 'review', load: () => import('./events.ts') },
  { noun: 'call', about: 'The record of calls from programs', section: 'review', load: () => import('./call.ts') },
  { noun: 'policy', about: 'What may be done, by which rule and why', section: 'review', load: () => import('./policy.ts') },
  { noun: 'secrets', about: 'Find secrets in a text', section: 'review', load: () => import('./secrets.ts') },
  { noun: 'project', about: 'Trust in the policy of this project', section: 'setup', load: () => import('./project.ts') },
  { noun: 'place', about: 'Folders in which runs work', section: 'review', load: () => import('./place.ts') },
  { noun: 'snapshot', about: 'Saved states that can be brought back', section: 'review', load: () => import('./snapshot.ts') },
  { noun: 'backup', about: 'What was saved before something was destroyed', section: 'review', load: () => import('./backup.ts') },
  { noun: 'init', about: 'Make this git repository a QED project', section: 'setup', load: () => import('./system/init.ts') },
  {
    noun: 'doctor',
    about: 'Check this machine and project, with a fix for each problem',
    section: 'setup',
    load: () => import('./system/doctor.ts'),
  },
  { noun: 'config', about: 'Settings, their values and where each comes from', section: 'setup', load: () => import('./config.ts') },
  { noun: 'models', about: 'Models that can be used, and whether they work', section: 'setup', load: () => import('./models.ts') },
  { noun: 'sandbox', about: 'The walls around commands: state, probe, exec', section: 'setup', load: () => import('./sandbox.ts') },
  { noun: 'vault', about: 'Secrets, used by name and never shown', section: 'setup', load: () => import('./vault.ts') },
  { noun: 'store', about: 'The database: size, backup, restore', section: 'setup', load: () => import('./store.ts') },
  { noun: 'discover', about: 'Everything QED can do, as data', section: 'service', load: () => import('./system/discover.ts') },
  { noun: 'version', about: 'Versions of QED and what it runs on', section: 'service', load: () => import('./system/version.ts') },
  { noun: 'system', about: 'The single words under one noun, and ping', section: 'service', load: () => import('./system/ping.ts') },
] as const satisfies Group[]

/** The single words also answer to `system.<word>`. */
export const SINGLE_WORDS = ['init', 'status', 'doctor', 'discover', 'version', 'demo']

class OperationUnknown extends QedError {
  readonly code = 'not_found'
  readonly near: string[]
  constructor(name: string, near: string[]) {
    super(`There is no operation ${name}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''}`, {
      details: { name, near },
      next: { operation: 'discover', command: 'qed discover', why: 'It lists every operation.' },
    })
    this.near = near
  }
}

export function createCatalogue(list: readonly Group[] = groups): Catalogue {
  const catalogue: Catalogue = {
    groups: list,
    group: async noun => (await list.find(group => group.noun === noun)?.load())?.operations ?? [],
    all: async () => (await Promise.all(list.map(group => group.load()))).flatMap(module => module.operations),
    find: async name => {
      const wanted = withoutSystem(name)
      const [noun = ''] = wanted.split('.')
      const found = (await catalogue.group(noun)).find(operation => operation.name === wanted)
      if (found) return found
      const names = (await catalogue.all()).map(operation => operation.name)
      throw new OperationUnknown(name, nearest(name, names))
    },
  }
  return catalogue
}

function withoutSystem(name: string): string {
  const word = name.startsWith('system.') ? name.slice('system.'.length) : ''
  return SINGLE_WORDS.includes(word) ? word : name
}
