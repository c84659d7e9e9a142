import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Which numbered requirements appear in test names, and, where the specs are at hand, which do not. */
export function coverageReport(root: string): string {
  const named = new Set(globSync('test/**/*.test.ts', { cwd: root }).flatMap(file => requirements(readFileSync(join(root, file), 'utf8'))))
  const specs = join(root, '../shared/spec')
  if (!existsSync(specs)) return `${named.size} numbered requirements appear in test names.`
  const lines = globSync('*.md', { cwd: specs })
    .sort()
    .map(file => {
      const all = [
        ...new Set([...readFileSync(join(specs, file), 'utf8').matchAll(/^- \*\*([A-Z]+-\d+)\b/gm)].map(match => match[1] ?? '')),
      ]
      const covered = all.filter(id => named.has(id))
      const open = all.filter(id => !named.has(id))
      return `  ${file.padEnd(15)} ${String(covered.length).padStart(3)} of ${String(all.length).padStart(3)}${covered.length > 0 && open.length > 0 ? `  not named: ${open.join(' ')}` : ''}`
    })
  return ['Requirements that appear in test names:', ...lines].join('\n')
}

function requirements(text: string): string[] {
  return [...text.matchAll(/\b(?:[A-Z]{1,3}|RPC)-\d+\b/g)].map(match => match[0])
}
