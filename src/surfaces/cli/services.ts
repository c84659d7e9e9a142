/** Commands that start a surface, or are about the command line itself, instead of calling an operation. They exist on the
 *  command line only; `run-service.ts` carries them out. */
export interface ServiceCommand {
  words: string[]
  about: string
}

export const SERVICE_COMMANDS = [
  { words: ['serve'], about: 'Serve HTTP, JSON-RPC and MCP on this machine' },
  { words: ['mcp', 'start'], about: 'Speak MCP on stdin and stdout, or over HTTP' },
  { words: ['completion'], about: 'Completion script for bash, zsh or fish' },
] as const satisfies ServiceCommand[]
