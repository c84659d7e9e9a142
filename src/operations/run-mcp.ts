import type { App } from '../app.ts'
import type { WorkHouse } from '../engine/work/types.ts'
import { ConfigBroken } from '../project/errors.ts'
import { mcpServers } from '../project/mcp-servers.ts'
import { isTrusted } from '../project/trust.ts'
import { extraValues } from '../sandbox/isolation/environment.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** The MCP servers that runs of this project have; null, with nothing loaded for it, where none is set up. */
export async function mcpFor(app: App, { processes, redaction }: Sandbox): Promise<WorkHouse['mcp']> {
  const project = app.findProject()
  const servers = await mcpServers(
    app.configPlaces(),
    async digest => project !== null && isTrusted(await app.personalStore(), project.id, digest),
  )
  if (servers.length === 0) return null
  const { createMcpServers } = await import('../tools/mcp/servers.ts')
  return at =>
    createMcpServers(servers, {
      ...at,
      processes,
      env: names => extraValues(names, app.env),
      key: async source => ('env' in source ? fromEnvironment(app, source.env) : (await app.vault()).value(source.vault)),
      redact: redaction.text,
    })
}

function fromEnvironment({ env }: App, name: string): string {
  const value = env[name]
  if (!value) throw new ConfigBroken('The settings', `the key of an MCP server is to stand in ${name}, which is not set`)
  return value
}
