/** What one target runs. */
interface Recipe {
  needs: string[]
  lines: string[]
}

interface TargetFile {
  program: string
  /** Names it looks for, in this order. */
  names: readonly string[]
  fileOptions: readonly string[]
  folderOptions: readonly string[]
  recipes: (text: string) => Map<string, Recipe>
  /** Further files that it reads. */
  includes: (text: string) => string[]
}

/** Programs that run targets of a file of their own. */
export const TARGET_FILES: readonly TargetFile[] = [
  {
    program: 'make',
    names: ['GNUmakefile', 'makefile', 'Makefile'],
    fileOptions: ['-f', '--file', '--makefile'],
    folderOptions: ['-C', '--directory'],
    recipes: text => indentedRecipes(withMakeVariables(text), /^([^\s:=#][^:=#]*?)\s*::?(?!=)\s*([^=#]*)/),
    includes: text => [...text.matchAll(/^-?s?include[ \t]+([^\n#]+)/gm)].flatMap(([, files = '']) => words(files)),
  },
  {
    program: 'just',
    names: ['justfile', 'Justfile', '.justfile'],
    fileOptions: ['-f', '--justfile'],
    folderOptions: ['-d', '--working-directory'],
    recipes: text => indentedRecipes(text.replace(/\{\{[^{}\n]*\}\}/g, '_'), /^@?([\w-]+)[^:\n]*:(?!=)\s*([^#&]*)/),
    includes: text => [...text.matchAll(/^(?:import|mod)\??[ \t]+['"]([^'"\n]+)['"]/gm)].map(([, file = '']) => file),
  },
  {
    program: 'task',
    names: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml'],
    fileOptions: ['-t', '--taskfile'],
    folderOptions: ['-d', '--dir'],
    recipes: taskRecipes,
    includes: () => [],
  },
]

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean)

/** A head at the left edge and below it indented lines, which are what is run. */
function indentedRecipes(text: string, head: RegExp): Map<string, Recipe> {
  const recipes = new Map<string, Recipe>()
  let open: string[] = []
  for (const line of text.replace(/\\\r?\n[ \t]*/g, ' ').split(/\r?\n/)) {
    if (/^[ \t]+\S/.test(line)) {
      for (const name of open) recipes.get(name)?.lines.push(line.trim().replace(/^[@+-]+\s*/, ''))
      continue
    }
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, names, rest = ''] = head.exec(line) ?? []
    open = names === undefined ? [] : words(names)
    const [needs = '', inline] = rest.split(';', 2)
    for (const name of open) {
      const known = recipes.get(name) ?? { needs: [], lines: [] }
      recipes.set(name, { needs: [...known.needs, ...words(needs)], lines: [...known.lines, ...(inline ? [inline.trim()] : [])] })
    }
  }
  return recipes
}

/** Plain variables put in; what make would have to work out becomes a word of its own. */
function withMakeVariables(text: string): string {
  const values = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(/^([\w.-]+)[ \t]*(?:[:?+]|::)?=[ \t]*([^\n#]*)$/gm)) values.set(name, value.trim())
  const put = (line: string): string => line.replace(/\$[({]([\w.-]+)[)}]/g, (_, name: string) => values.get(name) ?? '_')
  // Twice, for variables that name others.
  return put(put(text))
    .replace(/\$[({][^(){}\n]*[)}]/g, '_')
    .replaceAll('$$', '$')
}

/** By indentation alone: below `tasks:` a name, below it `cmds` and `deps`. Each text in them is taken for a command. */
function taskRecipes(text: string): Map<string, Recipe> {
  const recipes = new Map<string, Recipe>()
  let [inTasks, nameIndent] = [false, -1]
  let recipe: Recipe | null = null
  for (const line of text.split(/\r?\n/)) {
    const indent = line.search(/\S/)
    if (indent < 0 || line.trim().startsWith('#')) continue
    if (indent === 0) {
      inTasks = /^tasks:\s*$/.test(line)
      nameIndent = -1
      recipe = null
      continue
    }
    if (!inTasks) continue
    if (nameIndent < 0) nameIndent = indent
    const [, name, rest = ''] = indent === nameIndent ? (/^\s*['"]?([\w:.-]+)['"]?:\s*(.*)$/.exec(line) ?? []) : []
    if (name !== undefined) {
      recipe = { needs: [], lines: rest === '' ? [] : [unquoted(rest)] }
      recipes.set(name, recipe)
    } else recipe?.lines.push(unquoted(line.trim().replace(/^(?:-\s*)?(?:(?:cmds?|task|deps|sh|defer):\s*)?/, '')))
  }
  // A line that is the name of a task calls it.
  for (const { needs, lines } of recipes.values())
    needs.push(...lines.flatMap(line => words(line.replace(/[[\],]/g, ' '))).filter(word => recipes.has(word)))
  return recipes
}

function unquoted(text: string): string {
  const [, , inner] = /^(['"])(.*)\1$/.exec(text) ?? []
  return (inner ?? text).replace(/\{\{[^{}\n]*\}\}/g, '_')
}
