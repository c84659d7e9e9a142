import { kebabCase } from '../../kernel/names.ts'
import { inputSchema } from '../../operations/describe.ts'
import type { Catalogue } from '../../operations/operation.ts'
import { type InputFlag, inputFlags } from './arguments.ts'
import { verbOf } from './find-command.ts'
import { GLOBAL_FLAGS } from './globals.ts'
import type { ServiceCommand } from './services.ts'
import { SHORT_FORMS } from './short-forms.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** What may follow a command: verbs after a noun, flags after a verb. */
interface Node {
  /** `''`, `events`, `events list` */
  after: string
  words: { word: string; about: string }[]
  /** Flags whose value is the next word. */
  valued: string[]
}

/** A completion script with every command in it, so that completing starts no program. All three shells walk the words the same
 *  way: a flag's value is skipped, a word that leads to a known command is taken, any other is an argument. */
export async function completionScript(
  shell: (typeof SHELLS)[number],
  catalogue: Catalogue,
  services: (ServiceCommand & { flags: InputFlag[] })[],
): Promise<string> {
  const operations = (await catalogue.all()).map(operation => ({
    words: operation.name.split('.').length === 1 ? [operation.name] : [operation.name.split('.')[0] ?? '', kebabCase(verbOf(operation))],
    about: operation.summary,
    flags: inputFlags(inputSchema(operation)),
  }))
  const tree = new Tree()
  for (const { noun, about } of catalogue.groups) tree.add('', noun, about)
  const short = SHORT_FORMS.flatMap(({ word, means, about }) =>
    operations.filter(({ words }) => words.join(' ') === means.slice(0, 2).join(' ')).map(({ flags }) => ({ words: [word], about, flags })),
  )
  for (const { words, about, flags } of [...short, ...operations, ...services]) {
    words.forEach((word, i) => tree.add(words.slice(0, i).join(' '), word, about))
    tree.addFlags(words.join(' '), flags)
  }
  for (const name of SHELLS) tree.add('completion', name, `Script for ${name}`)
  tree.addFlags('', [])
  return RENDERERS[shell](tree.nodes())
}

class Tree {
  readonly #nodes = new Map<string, Node>()

  nodes(): Node[] {
    return [...this.#nodes.values()]
  }

  /** The first to name a word says what it is about. */
  add(after: string, word: string, about: string): void {
    const { words } = this.#at(after)
    if (!words.some(known => known.word === word)) words.push({ word, about })
  }

  /** A command's own flags win over global ones of the same name. */
  addFlags(after: string, flags: InputFlag[]): void {
    const { valued } = this.#at(after)
    const globals = GLOBAL_FLAGS.filter(({ name }) => !flags.some(flag => flag.name === name))
    for (const { name, about } of [...flags, ...globals]) this.add(after, `--${name}`, about)
    valued.push(
      ...flags.filter(({ type }) => type !== 'boolean').map(({ name }) => `--${name}`),
      ...globals.filter(({ value }) => value).flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
    )
  }

  #at(after: string): Node {
    const node = this.#nodes.get(after) ?? { after, words: [], valued: [] }
    this.#nodes.set(after, node)
    return node
  }
}

const RENDERERS: Record<(typeof SHELLS)[number], (nodes: Node[]) => string> = {
  bash: nodes => `# qed completion for bash
_qed() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at= word skip= words= valued=
  _qed_at ''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      -*) [[ " $valued " == *" $word "* ]] && skip=1 ;;
      *) _qed_at "\${at:+$at }$word" ;;
    esac
  done
  [[ -n $skip ]] || COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
_qed_at() {
  case $1 in
${nodes.map(({ after, words, valued }) => `    '${after}') words='${words.map(({ word }) => word).join(' ')}' valued='${valued.join(' ')}' ;;`).join('\n')}
    *) return ;;
  esac
  at=$1
}
complete -o default -F _qed qed
`,
  zsh: nodes => `#compdef qed
# qed completion for zsh
_qed() {
  local at= word skip=
  local -a choices valued
  _qed_at ''
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      -*) (( \${valued[(Ie)$word]} )) && skip=1 ;;
      *) _qed_at "\${at:+$at }$word" ;;
    esac
  done
  if [[ -n $skip ]]; then _files; else _describe 'qed' choices || _files; fi
}
_qed_at() {
  case $1 in
${nodes.map(({ after, words, valued }) => `    '${after}') choices=(${words.map(({ word, about }) => `'${word}:${zshQuoted(about)}'`).join(' ')}) valued=(${valued.join(' ')}) ;;`).join('\n')}
    *) return ;;
  esac
  at=$1
}
# Loaded by compinit this file is the function itself; sourced it has to be named.
if [[ \${funcstack[1]} == _qed ]]; then _qed "$@"; else compdef _qed qed; fi
`,
  fish: nodes => `# qed completion for fish
function __qed
  set -l at ''
  set -l skip 0
  set -l valued (__qed_valued '')
  for word in (commandline -opc)[2..]
    if test $skip = 1
      set skip 0
    else if string match -q -- '-*' $word
      contains -- $word $valued; and set skip 1
    else
      set -l next (string trim -- "$at $word")
      set -l known (__qed_valued $next); and set at $next; and set valued $known
    end
  end
  if test $skip = 1
    __fish_complete_path (commandline -ct)
  else
    __qed_words $at
  end
end
function __qed_valued
  switch "$argv[1]"
${nodes.map(({ after, valued }) => `    case '${after}'\n      printf '%s\\n' ${valued.join(' ')}`).join('\n')}
    case '*'
      return 1
  end
end
function __qed_words
  switch "$argv[1]"
${nodes.map(({ after, words }) => `    case '${after}'\n      printf '%s\\t%s\\n' ${words.map(({ word, about }) => `${word} '${fishQuoted(about)}'`).join(' ')}`).join('\n')}
  end
end
complete -c qed -f -a '(__qed)'
`,
}

function zshQuoted(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(':', '\\:')
}

function fishQuoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
}
