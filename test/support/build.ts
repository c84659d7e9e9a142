import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The tests drive the built program: it is built again when a source is newer. */
export default function setup(): void {
  const root = join(import.meta.dirname, '../..')
  const built = statSync(join(root, 'dist/program/main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = [...globSync(['src/**/*.ts', 'scripts/build{.ts,/*.ts}'], { cwd: root }), 'package.json', 'bin/qed']
  if (sources.some(file => statSync(join(root, file)).mtimeMs > built)) {
    execFileSync(process.execPath, [join(root, 'scripts/build.ts')], { cwd: root, stdio: 'inherit' })
  }
}
