import { NO_LAYERS, type PolicyLayers, type SettingsSource } from '../../src/policy/layers/layer.ts'
import { resolveText } from '../../src/policy/paths/resolve-real.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import { compileRule } from '../../src/policy/rules/compile.ts'
import { loadPolicyValue, permissionsAsPolicy } from '../../src/policy/rules/load.ts'
import { Rule, type RuleInput } from '../../src/policy/rules/schema.ts'
import type { ReadShell } from '../../src/policy/shell-port.ts'
import type { Access, BriefScope, Facts, PathFact, PolicyContext, PolicyOperation } from '../../src/policy/types.ts'

const file = (real: string): PathFact => ({ real, exists: true, type: 'file', device: 1, inode: 1, links: 1 })

/** Facts of a project at /p in which every path is an ordinary file where its text says. */
export function facts(changes: Partial<Facts> = {}): Facts {
  const given = changes.paths ?? {}
  const paths = new Proxy(given, {
    has: () => true,
    get: (_, path: string) => given[path] ?? file(resolveText(path, '/p')),
    getOwnPropertyDescriptor: (_, path: string) => ({
      value: given[path] ?? file(resolveText(path, '/p')),
      configurable: true,
      enumerable: true,
    }),
  })
  return {
    roots: [{ path: '/p', real: '/p', access: 'write' }],
    globs: {},
    sensitiveBelow: {},
    caseInsensitive: false,
    sacredLoaded: true,
    home: '/home/ann',
    tmp: '/tmp',
    createdByRun: [],
    branchesOfRun: [],
    pidsOfRun: [],
    isolation: null,
    ...changes,
    paths,
  }
}

export const context = (changes: Partial<PolicyContext> = {}): PolicyContext => ({
  mode: 'act',
  surface: 'cli',
  approver: 'person',
  ...changes,
})

export function operation(changes: Partial<PolicyOperation> & { verb: string }): PolicyOperation {
  return { cwd: '/p', facts: facts(), context: context(), ...changes }
}

export const shell = (command: string, changes: Partial<PolicyOperation> = {}): PolicyOperation =>
  operation({ verb: 'process.exec', command, ...changes })
export const path = (name: string, access: Access = 'read', changes: Partial<PolicyOperation> = {}): PolicyOperation =>
  operation({ verb: access === 'read' ? 'file.read' : 'file.write', paths: [{ path: name, access }], ...changes })
const brief = (changes: Partial<BriefScope> = {}): BriefScope => ({ files_owned: ['src/**'], ...changes })
export const inBrief = (changes: Partial<BriefScope> = {}, others: Partial<PolicyContext> = {}): PolicyContext =>
  context({ brief: brief(changes), ...others })

/** A source of settings from a policy file's value or an agent's permissions. Throws where it does not load. */
export function source(value: unknown, options: { trusted?: boolean; readShell?: ReadShell } = {}): SettingsSource {
  const policy = loadPolicyValue(permissionsAsPolicy(value), options.readShell ?? readShell)
  if (policy.kind === 'unloadable') throw new Error(JSON.stringify(policy.problems))
  return { policy, trusted: options.trusted ?? true }
}

export function layers(changes: Partial<PolicyLayers> = {}): PolicyLayers {
  return { ...NO_LAYERS, ...changes }
}

/** Layers with one agent that the context names. */
export const agentLayers = (permissions: unknown, agent = 'coder'): PolicyLayers => layers({ agents: { [agent]: source(permissions) } })

export const remembered = (rule: RuleInput) => compileRule(Rule().parse(rule))
