import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { IsolationInForce } from '../../kernel/isolation.ts'
import { canonicalJson, parseJson } from '../../kernel/json.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import type { RunFact } from '../facts.ts'
import type { VerifyCommand } from '../terms.ts'

/** F-13: what a command said about a base before. */
export interface BaseResults {
  get: (key: string) => RunFact | null
  put: (key: string, run: RunFact) => void
}

export interface BaseKey {
  tree: string
  shell: string
  command: Pick<VerifyCommand, 'text' | 'timeout_s' | 'network'>
  /** Key of the prepared layer. */
  layer: string | null
}

export function baseKey({ tree, shell, command: { text, timeout_s, network }, layer }: BaseKey): string {
  return sha256(canonicalJson({ tree, shell, text, timeout_s, network, layer }))
}

/** Whether two runs had the same walls; folders differ from place to place and say nothing about that. */
export function sameIsolation(a: IsolationInForce, b: IsolationInForce): boolean {
  return canonicalJson(essence(a)) === canonicalJson(essence(b))
}

function essence({ probe, writable: _writable, hidden: _hidden, ...rest }: IsolationInForce): object {
  return { ...rest, tool: probe.tool, checks: probe.checks }
}

const MOST_KEPT = 100

/** One file each, the newest few. Whatever cannot be read or written is as if it had never been there. */
export function fileBaseResults(folder: string): BaseResults {
  const file = (key: string): string => join(folder, `${key}.json`)
  return {
    get(key) {
      const text = readFileIfThere(file(key))
      return text === null ? null : ((parseJson(text) as RunFact | undefined) ?? null)
    },
    put(key, run) {
      writeFileAtomically(file(key), `${JSON.stringify(run)}\n`, { private: true })
      const all = readdirSync(folder).map(name => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
      for (const { path } of all.sort((a, b) => b.at - a.at).slice(MOST_KEPT)) rmSync(path, { force: true })
    },
  }
}
