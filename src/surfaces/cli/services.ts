/** Commands that start a surface instead of calling an operation. They exist on the command line only. */
export interface ServiceCommand {
  words: string[]
  about: string
  usage: string
  examples: string[]
}

export const SERVICE_COMMANDS: ServiceCommand[] = [
  {
    words: ['serve'],
    about: 'Serve HTTP, JSON-RPC and MCP on this machine',
    usage: 'qed serve [--port <n>] [--listen <address> --tls-cert <file> --tls-key <file>]',
    examples: ['qed serve', 'qed serve --port 8123 --json'],
  },
  {
    words: ['mcp', 'start'],
    about: 'Speak MCP on stdin and stdout, or over HTTP',
    usage: 'qed mcp start [--tools core|full|<names>] [--http [--port <n>]]',
    examples: ['qed mcp start', 'qed mcp start --tools full', 'qed mcp start --http --port 8124'],
  },
  {
    words: ['completion'],
    about: 'Completion script for bash, zsh or fish',
    usage: 'qed completion bash|zsh|fish',
    examples: [
      'qed completion bash > ~/.local/share/bash-completion/completions/qed',
      'qed completion zsh > ~/.zfunc/_qed',
      'qed completion fish > ~/.config/fish/completions/qed.fish',
    ],
  },
]
