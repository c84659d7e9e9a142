import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Which numbered requirements appear in test names, and, where the specs are at hand, which do not. */
export async function coverageReport(root: string): Promise<string> {
  const named = new Set((await testNames(root)).flatMap(requirements))
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

/** The full names of all tests, groups and rows of tables included, as the test runner itself collects them. */
async function testNames(root: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/vitest'), ['list', '--json', '--no-static-parse'], {
    cwd: root,
    maxBuffer: 64 << 20,
    timeout: 120_000,
  })
  return (JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { name: string }[]).map(({ name }) => name)
}

// Numbers of standards look the same.
const STANDARDS = /^(?:UTF|SHA|ISO|RFC|CP|IEEE)-/

/** The numbers of requirements in a test's name. */
export function requirements(name: string): string[] {
  return [...name.matchAll(/\b[A-Z]{1,4}-\d+\b/g)].map(match => match[0]).filter(id => !STANDARDS.test(id))
}
