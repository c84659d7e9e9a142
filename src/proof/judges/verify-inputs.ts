import { posix } from 'node:path'
import { EXAMPLE_FACTS } from '../../policy/rules/examples.ts'
import type { ReadShell, ShellSegment } from '../../policy/shell-port.ts'
import { calledScripts } from './called-scripts.ts'
import { inProject, ROOT } from './in-project.ts'
import { scriptCall } from './manifest-scripts.ts'
import { manifestTexts, type Text, type Tree, targetTexts } from './named-texts.ts'

export interface VerifyInputsOptions extends Tree {
  command: string
  isTestSide: (path: string) => boolean
  readShell: ReadShell
}

/** Scripts that scripts call are followed so far from the one that the command names. */
const MOST_LEVELS = 3
const LONGEST_SCRIPT = 256 << 10
const MOST_TEXTS = 500

/** §4 row 1: the files of the base by which the verify command judges, sorted: its operands that are no tests, the file of the target
 *  that it names, and scripts that these call by literal path. A manifest is not among them; its `scripts` are a row of their own. */
export async function verifyInputs(options: VerifyInputsOptions): Promise<string[]> {
  const { paths, isTestSide, readShell } = options
  const inputs = new Set<string>()
  const seen = new Set<string>()
  const open: Text[] = [{ text: options.command, folder: '', level: 0 }]
  for (let at = open.shift(); at !== undefined && seen.size < MOST_TEXTS; at = open.shift()) {
    const key = JSON.stringify([at.text, at.folder])
    if (seen.has(key)) continue
    seen.add(key)
    for (const { segment, folder } of segmentsOf(at, readShell)) {
      const argv = segment.argv.map(word => (word.kind === 'static' ? word.text : ''))
      const written = at.text === options.command && at.level === 0 ? operandsOf(segment) : []
      const called = calledScripts(segment)
      for (const path of [...written, ...called].map(word => inProject(word, folder)))
        if (path !== null && paths.has(path)) inputs.add(path)
      open.push(...(await scriptsCalled(called, { ...at, folder }, options)))
      const call = scriptCall(argv)
      if (call) open.push(...(await manifestTexts(call, { ...at, folder }, options)))
      const target = await targetTexts(argv, { ...at, folder }, options)
      for (const file of target.files) inputs.add(file)
      open.push(...target.texts)
    }
  }
  return [...inputs].filter(path => !isTestSide(path)).sort()
}

function segmentsOf({ text, folder }: Text, readShell: ReadShell): { segment: ShellSegment; folder: string }[] {
  const cwd = posix.join(ROOT, folder)
  const whole = readShell(text, { cwd, facts: EXAMPLE_FACTS })
  const lines = text.split('\n')
  // What cannot be read as a whole may be read line by line: too much is better here than too little.
  const readings =
    whole.grammar === 'known' || lines.length < 2 ? [whole] : [whole, ...lines.map(line => readShell(line, { cwd, facts: EXAMPLE_FACTS }))]
  return readings.flatMap(({ segments }) =>
    segments.flatMap(segment => (segment.cwd ?? [cwd]).map(at => ({ segment, folder: inProject(at, '') ?? folder }))),
  )
}

/** Every word that could be a file, the values of options included. */
function operandsOf({ argv, levels, redirects }: ShellSegment): string[] {
  const words = [...argv, ...levels.flatMap(level => level.argv), ...redirects.flatMap(({ target }) => target ?? [])]
  return words.filter(({ kind }) => kind === 'static').flatMap(({ text }) => [text, text.slice(text.indexOf('=') + 1)])
}

async function scriptsCalled(called: readonly string[], at: Text, { paths, read }: VerifyInputsOptions): Promise<Text[]> {
  if (at.level >= MOST_LEVELS) return []
  const files = called.map(word => inProject(word, at.folder)).filter(path => path !== null && paths.has(path))
  const texts = await Promise.all(files.map(path => read(path ?? '')))
  return texts.flatMap((text, i) => {
    if (text === null || text.length > LONGEST_SCRIPT) return []
    const commands = isShellScript(files[i] ?? '', text) ? [text] : commandsInCode(text)
    return commands.map(command => ({ text: command, folder: at.folder, level: at.level + 1 }))
  })
}

function isShellScript(path: string, text: string): boolean {
  const shebang = /^#!.*?(?:\/|\s)(\w+)\s*(?:\n|\s-)/.exec(text.slice(0, 200))?.[1]
  return shebang === undefined ? /\.(?:sh|bash|zsh|ksh)$/.test(path) || !/\.\w+$/.test(path) : /^(?:ba|da|z|k)?sh$/.test(shebang)
}

const STARTS_PROCESS = /\b(?:exec\w*|spawn\w*|fork|system|popen|Popen|run|call|check_call|check_output|Command|\$)\s*[(`!]/

/** What code in another language hands to a process, as far as it stands there in quotes on the same line. */
function commandsInCode(text: string): string[] {
  return text
    .split('\n')
    .filter(line => line.length < 2000 && STARTS_PROCESS.test(line))
    .flatMap(line => {
      const literals = [...line.matchAll(/(['"`])((?:(?!\1)[^\\\n])+)\1/g)].map(([, , literal = '']) => literal)
      // A program and its arguments are one command; a text of several words is one by itself.
      return [literals.join(' '), ...literals.filter(literal => literal.includes(' '))]
    })
}
