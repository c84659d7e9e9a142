const words = (...lines: string[]): string[] => lines.flatMap(line => line.split(' '))

/** Files below the home that decide what later commands do: a worker that changes one acts beyond its end. A trailing `/` means
 *  everything below the folder. */
export const WATCHED_HOME: readonly string[] = words(
  // shells
  '.profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .inputrc',
  '.zshrc .zshenv .zprofile .zlogin .zlogout .config/fish/config.fish .config/fish/conf.d/',
  // git and ssh
  '.gitconfig .config/git/ .git-credentials .ssh/',
  // package managers
  '.npmrc .yarnrc .yarnrc.yml .config/pnpm/rc .bunfig.toml',
  '.pypirc .pip/pip.conf .config/pip/pip.conf .config/uv/uv.toml .cargo/config.toml',
  // hosts
  '.claude/settings.json .claude/settings.local.json .claude/CLAUDE.md .codex/config.toml .codex/AGENTS.md',
  '.config/opencode/opencode.json .config/opencode/opencode.jsonc .config/opencode/AGENTS.md .pi/agent/settings.json',
)
