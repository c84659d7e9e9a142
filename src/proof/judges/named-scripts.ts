import { isPlainObject, parseJson } from '../../kernel/json.ts'
import { type Outline, outlineShell, partsOfOutline } from '../../policy/shell/index.ts'
import type { VerifyScript } from '../facts.ts'
import { linesFault, withoutPrefix } from './verify-command.ts'

/** Gives the text of a project file, or null. */
export type ReadText = (path: string) => string | null

const MOST_LEVELS = 3
const RUNNERS: ReadonlySet<string> = new Set(['npm', 'yarn', 'pnpm', 'bun'])
const MAKES: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
}
/** Short names that stand for a script. */
const SHORT: Readonly<Record<string, string>> = { t: 'test', tst: 'test' }
const RUN: ReadonlySet<string> = new Set(['run', 'run-script', 'rum'])

/** The manifest scripts and targets that a command leads to, through scripts that name further ones, three levels deep. */
export function namedScripts(command: string, read: ReadText): VerifyScript[] {
  const found = new Map<string, VerifyScript>()
  follow(command, read, 0, found)
  return [...found.values()]
}

function follow(command: string, read: ReadText, level: number, found: Map<string, VerifyScript>): void {
  if (level >= MOST_LEVELS) return
  for (const argv of commandsOf(outlineShell(command))) {
    for (const script of scriptsOf(argv, read)) {
      const key = `${script.path}\n${script.name}`
      if (found.has(key)) continue
      found.set(key, script)
      follow(script.form === 'lines' ? script.text.split('\n').map(withoutPrefix).join('\n') : script.text, read, level + 1, found)
    }
  }
}

function scriptsOf(argv: readonly string[], read: ReadText): VerifyScript[] {
  const [program = '', ...words] = argv
  const name = program.slice(program.lastIndexOf('/') + 1)
  const operands = words.filter(word => !word.startsWith('-'))
  if (RUNNERS.has(name)) return manifestScripts(operands, words, read)
  const files = Object.hasOwn(MAKES, name) ? MAKES[name] : undefined
  return files ? targets(files, operands, words, read) : []
}

/** The root and every folder that the command names: `--prefix a`, `-C a`. */
function folders(words: readonly string[]): string[] {
  return ['', ...words.filter(word => /^[\w@./-]+$/.test(word) && !word.startsWith('-')).map(word => `${word.replace(/^\.\/|\/$/g, '')}/`)]
}

function manifestScripts(operands: readonly string[], words: readonly string[], read: ReadText): VerifyScript[] {
  const [first = '', second = ''] = operands
  const name = RUN.has(first) ? second : (SHORT[first] ?? first)
  return folders(words).flatMap(folder => {
    const path = `${folder}package.json`
    const manifest = parseJson(read(path) ?? '')
    const scripts = isPlainObject(manifest) ? manifest['scripts'] : undefined
    const text = isPlainObject(scripts) && Object.hasOwn(scripts, name) ? scripts[name] : undefined
    return typeof text === 'string' ? [{ path, name, text, form: 'script' }] : []
  })
}

function targets(files: readonly string[], operands: readonly string[], words: readonly string[], read: ReadText): VerifyScript[] {
  return folders(words).flatMap(folder => {
    const path = files.map(file => `${folder}${file}`).find(file => read(file) !== null)
    const text = path === undefined ? null : read(path)
    if (path === undefined || text === null) return []
    const recipes = readRecipes(text)
    const [whole] = recipes.keys()
    const wanted = operands.filter(operand => recipes.has(operand))
    const names = wanted.length > 0 ? wanted : whole === undefined ? [] : [whole]
    return names.flatMap((name): VerifyScript[] => {
      const recipe = recipes.get(name) ?? []
      return recipe.length === 0 ? [] : [{ path, name, text: recipe.join('\n'), form: 'lines' }]
    })
  })
}

/** Targets with the lines of their recipes. A recipe that judges nothing is left out where prerequisites do. */
function readRecipes(text: string): Map<string, string[]> {
  const recipes = new Map<string, { lines: string[]; needs: boolean }>()
  let current: string[] | null = null
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    const head = /^([\w./%-]+)(?: +[\w='"-]+)*\s*::?(?!=)\s*(.*)$/.exec(line)
    if (/^[\t ]+\S/.test(line)) current?.push(line.trim())
    else if (head && !line.startsWith('.')) {
      current = []
      recipes.set(head[1] ?? '', { lines: current, needs: (head[2] ?? '').replace(/#.*/, '').trim() !== '' })
    } else if (line.trim() !== '') current = null
  }
  const judging = [...recipes].filter(([, { lines, needs }]) => !needs || linesFault(lines)?.id !== 'verify.trivial')
  return new Map(judging.map(([name, { lines }]) => [name, lines]))
}

/** Every simple command of a text, wherever it stands. */
function commandsOf(outline: Outline): string[][] {
  const own = outline.kind === 'command' ? [outline.argv.map(word => word.text)] : []
  return [...own, ...partsOfOutline(outline).flatMap(commandsOf)]
}
