// Bundles the program into dist/: code split so that a command loads only what it uses, types for the SDK, and Node's compile
// cache warmed so that the first start is as fast as the next.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin, transform } from 'esbuild'
import { packParts, writeLoader } from './build/pack.ts'
import { A_RUN, openPlayer } from './build/play.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const program = join(dist, 'program')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // jsonc-parser's "main" hides its modules from a bundler; its "module" entry does not.
  mainFields: ['module', 'main'],
  define: { QED_VERSION: JSON.stringify(version) },
  legalComments: 'linked',
  logLevel: 'warning',
}

/** The libraries of model providers, each loaded with the first request to such a model. */
const PROVIDERS = Object.fromEntries(['openai', 'anthropic', 'google'].map(name => [name, `@ai-sdk/${name}`]))

/** What is asked for often, and should be answered at once. */
const READS = [['status'], ['events', 'list'], ['config', 'list'], ['--help']]

rmSync(dist, { recursive: true, force: true })
clearCache()
await build({ ...shared, entryPoints: ['src/sdk/*.ts'], outdir: 'dist/sdk', packages: 'external' })
await build({ ...shared, entryPoints: { main: 'src/main.ts' }, outdir: 'dist/program', minifySyntax: true, plugins: [providersApart()] })
await toCommonJs(program)
await build({ ...shared, entryPoints: PROVIDERS, outdir: 'dist/program/providers', minifySyntax: true, plugins: [englishOnly()] })
await toCommonJs(join(program, 'providers'))
execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.types.json'], { cwd: root, stdio: 'inherit' })
const { play, playAll, close } = await openPlayer(join(root, 'bin', 'qed'), program)
try {
  await writeLoader(program, {})
  const apart = await play(['--version'])
  await play(['init'])
  await packParts(program, { start: await playAll(READS), run: await play(A_RUN) }, apart)
  clearCache()
  // The run first: it writes the caches of both packs, and calls more of their functions than any other command.
  await playAll([A_RUN, ['--version'], ['discover', '--json'], ...READS])
} finally {
  close()
}

function clearCache(): void {
  const cache = join(dist, 'compile-cache')
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
}

// Bundled apart: they use all of zod, and in one bundle every command would load all of it with them (680 KB instead of 205).
function providersApart(): Plugin {
  return {
    name: 'providers-apart',
    setup: bundler =>
      bundler.onResolve({ filter: /^@ai-sdk\// }, ({ path }) => ({
        path: `./providers/${path.slice('@ai-sdk/'.length)}.js`,
        external: true,
      })),
  }
}

// zod brings its messages in forty languages; nobody reads those of a provider's library.
function englishOnly(): Plugin {
  return {
    name: 'english-only',
    setup: bundler =>
      bundler.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "export { default as en } from './en.js'" })),
  }
}

// Splitting needs ES modules, but Node links CommonJS several times faster (14 ms of a 60 ms command).
async function toCommonJs(folder: string): Promise<void> {
  for (const file of readdirSync(folder).filter(name => name.endsWith('.js'))) {
    const path = join(folder, file)
    const { code } = await transform(readFileSync(path, 'utf8'), {
      format: 'cjs',
      platform: 'node',
      target: 'node24',
      supported: { 'dynamic-import': false },
      // Names stay, and lines: what went wrong can be told from a trace.
      minifyWhitespace: true,
      lineLimit: 120,
    })
    writeFileSync(path, code)
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
}
