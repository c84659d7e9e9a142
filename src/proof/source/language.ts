/** Languages that are read as text. `javascript` may hold JSX (`.tsx` too), `typescript` may not. */
export type Language =
  | 'javascript'
  | 'typescript'
  | 'python'
  | 'go'
  | 'rust'
  | 'java'
  | 'kotlin'
  | 'csharp'
  | 'ruby'
  | 'php'
  | 'shell'
  | 'bats'

const BY_ENDING: Record<string, Language> = {
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  tsx: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  py: 'python',
  pyi: 'python',
  pyw: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  kt: 'kotlin',
  kts: 'kotlin',
  cs: 'csharp',
  rb: 'ruby',
  rake: 'ruby',
  gemspec: 'ruby',
  php: 'php',
  phpt: 'php',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  ksh: 'shell',
  bats: 'bats',
}

const BY_INTERPRETER: Record<string, Language> = {
  node: 'javascript',
  bun: 'javascript',
  deno: 'javascript',
  python: 'python',
  ruby: 'ruby',
  php: 'php',
  bats: 'bats',
  sh: 'shell',
  bash: 'shell',
  dash: 'shell',
  zsh: 'shell',
}

/** The language of a file by its name, else by its first line; null where it is none that can be read. */
export function languageOf(path: string, text?: string | null): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  if (dot > 0) return own(BY_ENDING, name.slice(dot + 1).toLowerCase())
  const interpreter = /^#!\s*\S*?(?:env\s+(?:-S\s+)?)?([a-z]+)[\d.]*(?:\s|$)/.exec(text?.slice(0, 200) ?? '')?.[1]
  return interpreter === undefined ? null : own(BY_INTERPRETER, interpreter)
}

const own = (table: Record<string, Language>, key: string): Language | null => (Object.hasOwn(table, key) ? (table[key] ?? null) : null)
