import type { Json } from '../kernel/json.ts'
import { sha256 } from '../kernel/sha256.ts'
import { readFileIfThere } from '../store/files.ts'
import { type ConfigPlaces, readConfig } from './config/config.ts'
import { ConfigBroken } from './errors.ts'
import type { PolicyText } from './policy-files.ts'

/** One MCP server whose tools runs have, `mcp.<name>.*` of the settings. */
export interface McpServer {
  name: string
  at:
    | { kind: 'process'; command: string[]; cwd: string | null; env: string[]; secrets: string[]; network: boolean }
    | { kind: 'http'; url: string; key: { env: string } | { vault: string } | null }
  /** Patterns of its tools that runs have. */
  tools: string[]
  timeoutMs: number
}

const DEFAULT_TIMEOUT_S = 60

/** The servers in force. A project's file comes with the repository: what it names is started only while the person trusts
 *  exactly that text, and it never takes the place of a server of the person's own. */
export async function mcpServers(places: ConfigPlaces, isTrusted: (digest: string) => Promise<boolean>): Promise<McpServer[]> {
  const own = serversIn(places.personal, 'personal', places)
  const theirs = places.project === null ? new Map<string, McpServer | null>() : serversIn(places.project, 'project', places)
  const trusted = places.project !== null && theirs.size > 0 && (await isTrusted(sha256(readFileIfThere(places.project) ?? '')))
  return [...new Map([...(trusted ? theirs : []), ...own]).values()].filter(server => server !== null)
}

/** The project's config file, where it holds commands that are used only under trust. */
export function configText(places: ConfigPlaces): PolicyText[] {
  const { project } = places
  const text = project === null ? null : readFileIfThere(project)
  if (project === null || text === null) return []
  const keys = [...readConfig(project, 'project', places).values.keys()]
  const runs = keys.some(key => key === 'proof.prepare' || namedServer(key) !== null)
  return runs ? [{ file: '.qed/config.json', text, digest: sha256(text) }] : []
}

/** The servers that one file names; null: one that is switched off. */
function serversIn(path: string, scope: 'project' | 'personal', places: ConfigPlaces): Map<string, McpServer | null> {
  const { values } = readConfig(path, scope, places)
  const names = new Set([...values.keys()].map(namedServer).filter(name => name !== null))
  return new Map([...names].map(name => [name, serverOf(name, key => values.get(`mcp.${name}.${key}`), path)]))
}

function namedServer(key: string): string | null {
  return /^mcp\.([^.]+)\./.exec(key)?.[1] ?? null
}

function serverOf(name: string, get: (key: string) => Json | undefined, file: string): McpServer | null {
  const [command, url] = [get('command'), get('url')]
  if ((command === undefined) === (url === undefined)) throw new ConfigBroken(file, `mcp.${name} needs either command or url`)
  if (get('enabled') === false) return null
  return {
    name,
    at:
      command === undefined
        ? { kind: 'http', url: url as string, key: (get('key') ?? null) as { env: string } | { vault: string } | null }
        : {
            kind: 'process',
            command: command as string[],
            cwd: (get('cwd') ?? null) as string | null,
            env: (get('env') ?? []) as string[],
            secrets: (get('secrets') ?? []) as string[],
            network: get('network') === true,
          },
    tools: (get('tools') ?? ['*']) as string[],
    timeoutMs: ((get('timeout_s') ?? DEFAULT_TIMEOUT_S) as number) * 1_000,
  }
}
