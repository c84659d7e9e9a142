import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { version } from '../kernel/version.ts'
import type { Stage } from './stage.ts'

/** Starts `qed mcp start` and speaks to it with the official client, as an agent would. */
export async function talkMcp({ self, repository, env, signal }: Stage): Promise<string> {
  const [command = '', ...before] = self
  const client = new Client({ name: 'qed-demo', version }, { versionNegotiation: { mode: 'auto' } })
  const defined = Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...before, 'mcp', 'start', '--tools', 'full'],
      cwd: repository,
      env: defined,
      stderr: 'ignore',
    }),
  )
  try {
    const { tools } = await client.listTools({}, { signal })
    const verified = await client.callTool({ name: 'qed_events_verify', arguments: {} }, { signal })
    const { result } = verified.structuredContent as { result: { ok: boolean; count: number } }
    return `${tools.length} tools offered; qed_events_verify says ${result.ok ? 'valid' : 'broken'}, ${result.count} events`
  } finally {
    await client.close()
  }
}
