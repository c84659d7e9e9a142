import { posix } from 'node:path'
import { inProject } from './in-project.ts'
import { packageName, type ScriptCall, scriptTexts } from './manifest-scripts.ts'
import { TARGET_FILES } from './recipes.ts'

/** The base, as far as judging looks into it. */
export interface Tree {
  paths: { has: (path: string) => boolean; keys: () => Iterable<string> }
  read: (path: string) => Promise<string | null>
}

/** One text of commands, where it runs, and through how many script files it was reached. */
export interface Text {
  text: string
  /** From the root of the project; '' is the root. */
  folder: string
  level: number
}

/** What a manifest says that a script of it means. */
export async function manifestTexts(call: ScriptCall, at: Text, options: Tree): Promise<Text[]> {
  const folders =
    call.workspaces.length > 0 ? await workspaceFolders(call, options) : nearestManifest(inProject(call.folder || '.', at.folder), options)
  const found = await Promise.all(
    folders.map(async folder => {
      const manifest = await options.read(posix.join(folder, 'package.json'))
      return manifest === null ? [] : scriptTexts(manifest, call.name).map(text => ({ text, folder, level: at.level }))
    }),
  )
  return found.flat()
}

function nearestManifest(from: string | null, { paths }: Tree): string[] {
  for (let folder = from ?? '', steps = 0; steps < 100; steps++) {
    if (paths.has(posix.join(folder, 'package.json'))) return [folder]
    if (folder === '' || folder === '.') return []
    folder = posix.dirname(folder)
  }
  return []
}

async function workspaceFolders({ workspaces }: ScriptCall, { paths, read }: Tree): Promise<string[]> {
  const manifests = [...paths.keys()].filter(path => path.endsWith('/package.json') && !path.includes('node_modules/'))
  const named = await Promise.all(
    manifests.map(async path => {
      const folder = posix.dirname(path)
      if (workspaces === 'all' || workspaces.some(name => posix.normalize(name) === folder)) return [folder]
      const name = packageName((await read(path)) ?? '')
      return name !== null && workspaces.includes(name) ? [folder] : []
    }),
  )
  return named.flat()
}

/** What a make, just or task target means, and the files that say so. */
export async function targetTexts(argv: readonly string[], at: Text, { paths, read }: Tree): Promise<{ files: string[]; texts: Text[] }> {
  const [program = '', ...words] = argv
  const row = TARGET_FILES.find(one => one.program === program.slice(program.lastIndexOf('/') + 1).replace(/^gmake$/, 'make'))
  if (!row) return { files: [], texts: [] }
  const { files: given, folder, targets } = targetWords(words, row)
  const where = inProject(folder || '.', at.folder) ?? ''
  const own = given.length > 0 ? given : row.names
  const file = own.map(name => inProject(name, where)).find(path => path !== null && paths.has(path)) ?? null
  const text = file === null ? null : await read(file)
  if (file === null || text === null) return { files: [], texts: [] }
  const included = row
    .includes(text)
    .flatMap(name => inProject(name, posix.dirname(file)) ?? [])
    .filter(path => paths.has(path))
  const more = await Promise.all(included.map(read))
  const recipes = row.recipes([text, ...more.map(one => one ?? '')].join('\n'))
  const open = targets.length > 0 ? targets : [...recipes.keys()].filter(name => !name.startsWith('.')).slice(0, 1)
  const lines = new Set<string>()
  const done = new Set<string>()
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    const recipe = done.has(name) ? undefined : recipes.get(name)
    done.add(name)
    for (const line of recipe?.lines ?? []) lines.add(line)
    open.push(...(recipe?.needs ?? []))
  }
  return { files: [file, ...included], texts: [...lines].map(line => ({ text: line, folder: where, level: at.level })) }
}

function targetWords(words: readonly string[], row: (typeof TARGET_FILES)[number]): { files: string[]; folder: string; targets: string[] } {
  const found = { files: [] as string[], folder: '', targets: [] as string[] }
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const [option = '', given] = word.startsWith('--') ? word.split('=', 2) : [word]
    if (row.fileOptions.includes(option)) found.files.push(given ?? words[++i] ?? '')
    else if (row.folderOptions.includes(option)) found.folder = given ?? words[++i] ?? ''
    else if (!word.startsWith('-') && !word.includes('=')) found.targets.push(word)
  }
  return found
}
