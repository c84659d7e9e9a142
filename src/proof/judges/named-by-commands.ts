// Whether a command of a run names something outside its place. It is read as text: what is written there was meant, and a
// path that is put together while the command runs is not named by it.

const PATH_END = String.raw`(?![\w./@+-]*[\w@+-])`
const FOLDER_END = String.raw`(?![\w.@+-])`
const WORD_START = String.raw`(?<![\w./@+~-])`

/** The path is spelled out, whole, from the home directory or by `..`; or its folder is, and the rest of it as a word. */
export function namesPath(commands: readonly string[], path: string): boolean {
  const parts = path.split('/').filter(part => part !== '')
  return commands.some(command => parts.some((_, i) => namesSplit(command, parts.slice(0, i + 1), parts.slice(i + 1))))
}

function namesSplit(command: string, folder: readonly string[], rest: readonly string[]): boolean {
  const isWhole = rest.length === 0
  // A folder near the root is on every path.
  if (!isWhole && folder.length < 2) return false
  const spelled = new RegExp(`${WORD_START}(?:${spellings(folder).join('|')})/?${isWhole ? PATH_END : FOLDER_END}`)
  return spelled.test(command) && (isWhole || new RegExp(`${WORD_START}(?:\\./)?${escaped(rest.join('/'))}${PATH_END}`).test(command))
}

/** `/home/u/a/b` is also `~/a/b`, `$HOME/a/b` and `../a/b`; where home and place are is not known here, so any cut may be meant. */
function spellings(parts: readonly string[]): string[] {
  const tails = parts.map((_, i) => parts.slice(i).map(escaped).join('/'))
  return [`/${tails[0] ?? ''}`, ...tails.map(tail => String.raw`(?:~|\$HOME|\$\{HOME\}|(?:\.\./)*\.\.)/${tail}`)]
}

/** The ref is spelled out in full, or by its short name in a git command. */
export function namesRef(commands: readonly string[], ref: string): boolean {
  const short = ref.replace(/^refs\/(?:heads|tags|remotes)\//, '')
  const full = new RegExp(`${WORD_START}${escaped(ref)}${PATH_END}`)
  const inGit = new RegExp(String.raw`\bgit\b[^\n;|&]*?[\s:+'"]${escaped(short)}${PATH_END}`)
  return commands.some(command => full.test(command) || inGit.test(command))
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
