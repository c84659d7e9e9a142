import { kebabCase } from '../../kernel/names.ts'
import { inputSchema } from '../../operations/describe.ts'
import type { Catalogue } from '../../operations/operation.ts'
import { inputFlags } from './arguments.ts'
import { verbOf } from './find-command.ts'
import { GLOBAL_FLAGS } from './globals.ts'
import { SERVICE_COMMANDS } from './services.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** Words that may follow a command: verbs after a noun, flags after a verb. */
interface Node {
  /** `''`, `events`, `events list` */
  after: string
  words: { word: string; about: string }[]
}

/** A completion script with every command in it, so that completing starts no program. */
export async function completionScript(shell: (typeof SHELLS)[number], catalogue: Catalogue): Promise<string> {
  return RENDERERS[shell](await commandTree(catalogue))
}

async function commandTree(catalogue: Catalogue): Promise<Node[]> {
  const globals = GLOBAL_FLAGS.map(({ name, about }) => ({ word: `--${name}`, about }))
  const nodes = new Map<string, Node['words']>([['', []]])
  const add = (after: string, word: string, about: string): void => {
    const words = nodes.get(after) ?? []
    if (!words.some(known => known.word === word)) words.push({ word, about })
    nodes.set(after, words)
  }
  for (const { noun, about } of catalogue.groups) add('', noun, about)
  for (const operation of await catalogue.all()) {
    const [noun = ''] = operation.name.split('.')
    const path = operation.name === noun ? noun : `${noun} ${verbOf(operation)}`
    if (path !== noun) add(noun, kebabCase(verbOf(operation)), operation.summary)
    for (const flag of inputFlags(inputSchema(operation))) add(path, `--${flag.name}`, flag.about)
    for (const { word, about } of globals) add(path, word, about)
  }
  for (const { words, about } of SERVICE_COMMANDS) words.forEach((word, i) => add(words.slice(0, i).join(' '), word, about))
  for (const shell of SHELLS) add('completion', shell, `Script for ${shell}`)
  for (const { word, about } of globals) add('', word, about)
  return [...nodes].map(([after, words]) => ({ after, words }))
}

const RENDERERS: Record<(typeof SHELLS)[number], (nodes: Node[]) => string> = {
  bash: nodes => `# qed completion for bash
_qed() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  local words=
  case $path in
${nodes.map(({ after, words }) => `    ${after === '' ? "''" : `'${after}'`}) words='${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _qed qed
`,
  zsh: nodes => `#compdef qed
# qed completion for zsh
_qed() {
  local -a choices
  local path="\${(j: :)\${(@)words[2,CURRENT-1]:#-*}}"
  case $path in
${nodes.map(({ after, words }) => `    '${after}') choices=(${words.map(({ word, about }) => `'${word}:${zshQuoted(about)}'`).join(' ')}) ;;`).join('\n')}
    *) _files; return ;;
  esac
  _describe 'qed' choices
}
compdef _qed qed
`,
  fish: nodes => `# qed completion for fish
function __qed_path
  set -l words (commandline -opc)
  string join ' ' (string match -v -- '-*' $words[2..])
end
${nodes
  .flatMap(({ after, words }) =>
    words.map(
      ({ word, about }) => `complete -c qed -f -n 'test (__qed_path) = "${after}"' ${fishWord(word)} -d '${about.replaceAll("'", "\\'")}'`,
    ),
  )
  .join('\n')}
`,
}

function zshQuoted(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(':', '\\:')
}

function fishWord(word: string): string {
  return word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
}
