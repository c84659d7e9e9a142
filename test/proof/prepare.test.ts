import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { prepareCommand, toolsOf } from '../../src/proof/prepare/commands.ts'
import { createLayers } from '../../src/proof/prepare/layers.ts'
import { copyLayers, mountLayers } from '../../src/proof/prepare/mount-layer.ts'
import { type Prepared, type PrepareJob, type PrepareParts, prepare } from '../../src/proof/prepare/prepare.ts'
import { readTree } from '../../src/sandbox/git/tree.ts'
import { git, write } from '../sandbox/support.ts'
import { handClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type House, house } from './support.ts'

const locks = (files: Record<string, string>): Map<string, string> => new Map(Object.entries(files))
const NPM_LOCK = JSON.stringify({ lockfileVersion: 3, packages: { '': {}, 'node_modules/x': { version: '1.0.0' } } })

describe('F-7 what prepares a tree', () => {
  const npm = 'npm ci --ignore-scripts --no-audit --no-fund'
  test.each<[string, Record<string, string>, string | null]>([
    ['nothing where there is no lock file', {}, null],
    ['npm', { 'package-lock.json': NPM_LOCK }, npm],
    ['nothing where the lock file asks for nothing', { 'package-lock.json': '{"lockfileVersion":3,"packages":{"":{"name":"x"}}}' }, null],
    ['npm where a workspace must be linked', { 'package-lock.json': '{"packages":{"":{},"node_modules/a":{"link":true},"a":{}}}' }, npm],
    ['npm where the lock file cannot be read: it says why', { 'package-lock.json': '{' }, npm],
    ['pnpm', { 'pnpm-lock.yaml': 'packages:\n' }, 'pnpm install --frozen-lockfile --ignore-scripts'],
    ['yarn', { 'yarn.lock': 'a@1:\n' }, 'yarn install --immutable'],
    ['nothing for a yarn.lock of comments', { 'yarn.lock': '# yarn lockfile v1\n\n' }, null],
    ['bun', { 'bun.lock': '{}' }, 'bun install --frozen-lockfile --ignore-scripts'],
    ['uv', { 'uv.lock': 'version = 1' }, 'uv sync --frozen'],
    ['poetry', { 'poetry.lock': '[[package]]' }, 'poetry install --no-root'],
    ['go', { 'go.sum': 'x v1 h1:' }, 'go mod download'],
    ['cargo', { 'Cargo.lock': 'source = "registry+x"' }, 'cargo fetch --locked'],
    ['nothing for a crate without others', { 'Cargo.lock': '[[package]]\nname = "me"\n' }, null],
    ['the first of one family', { 'package-lock.json': NPM_LOCK, 'yarn.lock': 'a:' }, npm],
    ['each of several families', { 'package-lock.json': NPM_LOCK, 'go.sum': 'x' }, `${npm} && go mod download`],
  ])('is %s', (_what, files, command) => {
    expect(prepareCommand(locks(files), () => true)).toBe(command)
  })

  test('leaves a program out that is not installed, unless it is the only one', () => {
    const both = locks({ 'package-lock.json': NPM_LOCK, 'go.sum': 'x' })
    expect(prepareCommand(both, program => program !== 'go')).toBe(npm)
    expect(prepareCommand(locks({ 'go.sum': 'x' }), () => false)).toBe('go mod download')
  })

  test('knows which programs a command uses', () => {
    expect([toolsOf(npm), toolsOf('make deps'), toolsOf('cd web && pnpm i; uv sync')]).toEqual([
      ['node', 'npm'],
      [],
      ['node', 'pnpm', 'uv'],
    ])
  })
})

/** A package of its own as an archive, so that nothing has to be loaded. */
function withDependency(version = '1.0.0'): Record<string, string | Buffer> {
  const source = temporaryFolder()
  write(source, {
    'package/package.json': JSON.stringify({ name: 'dep', version, main: 'm.js' }),
    'package/m.js': `module.exports = '${version}'\n`,
  })
  const archive = execFileSync('tar', ['-czf', '-', '-C', source, 'package'])
  return {
    'dep.tgz': archive,
    '.gitignore': 'node_modules/\n',
    'package.json': JSON.stringify({ name: 'root', version: '1.0.0', dependencies: { dep: 'file:dep.tgz' } }),
    'package-lock.json': JSON.stringify({
      name: 'root',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'root', version: '1.0.0', dependencies: { dep: 'file:dep.tgz' } },
        'node_modules/dep': { version, resolved: 'file:dep.tgz' },
      },
    }),
  }
}

interface Ready extends House {
  prepare: (job?: Partial<PrepareJob>, parts?: Partial<PrepareParts>) => Promise<Prepared>
  asked: string[]
}

function ready(files: Record<string, string | Buffer>): Ready {
  const h = house(files)
  const asked: string[] = []
  const side = async (revision: string) => ({
    tree: git(h.root, 'rev-parse', `${revision}^{tree}`),
    entries: await readTree(h.repository.git, revision),
  })
  return {
    ...h,
    asked,
    prepare: async (job = {}, parts = {}) =>
      prepare(
        { command: null, base: await side('main'), result: await side('HEAD'), allow_dependencies: false, ...job },
        {
          git: h.repository.git,
          processes: h.processes,
          layers: createLayers({ state: h.state, clock: systemClock }),
          mayPrepare: command => Promise.resolve(asked.push(command) > 0),
          isInstalled: () => true,
          ...parts,
        },
      ),
  }
}

/** A further commit beside `main`. */
function further(root: string, files: Record<string, string | Buffer>): void {
  git(root, 'checkout', '-q', '-b', 'work')
  write(root, files)
  git(root, 'add', '-A')
  git(root, 'commit', '-qm', 'work')
}

describe('F-8 the prepared layer', () => {
  test('is made from the lock file, used again by its key, and a copy of it runs in a place', async () => {
    const r = ready(withDependency())
    const first = await r.prepare()
    expect(first.fact).toMatchObject({ outcome: 'made', from: 'base', command: 'npm ci --ignore-scripts --no-audit --no-fund' })
    expect(Object.keys(first.fact.inputs)).toEqual(['package-lock.json', 'package.json'])
    expect(first.fact.tools.map(({ name, version }) => [name, /\d/.test(version)])).toEqual([
      ['node', true],
      ['npm', true],
    ])
    expect(first.layer?.parts).toEqual(['node_modules'])
    const second = await r.prepare()
    expect([second.fact.outcome, second.fact.key, r.asked]).toEqual(['reused', first.fact.key, [first.fact.command]])
    const place = temporaryFolder()
    expect(await copyLayers(r.processes)(place, first.layer!)).toEqual({ env: {}, layers: [] })
    expect(execFileSync(process.execPath, ['-p', "require('dep')"], { cwd: place, encoding: 'utf8', timeout: 20_000 })).toBe('1.0.0\n')
    write(place, { 'node_modules/dep/m.js': 'patched', 'node_modules/.cache/x': 'y' })
    expect(readFileSync(join(first.layer!.folder, 'node_modules/dep/m.js'), 'utf8')).toContain('1.0.0')
    expect(readdirSync(join(r.state, 'layers'))).toEqual([first.fact.key])
  }, 60_000)

  test('comes from the base, from the result only with leave', async () => {
    const r = ready(withDependency())
    further(r.root, withDependency('2.0.0'))
    const refused = await r.prepare()
    const allowed = await r.prepare({ allow_dependencies: true })
    expect([refused.fact.from, allowed.fact.from, refused.fact.key === allowed.fact.key]).toEqual(['base', 'result', false])
    expect(readFileSync(join(allowed.layer!.folder, 'node_modules/dep/m.js'), 'utf8')).toContain('2.0.0')
  }, 60_000)

  test('a result whose files do not install where the base’s do is a mismatch, and the base’s are used', async () => {
    const r = ready(withDependency())
    const lock = readFileSync(join(r.root, 'package-lock.json'), 'utf8')
    const wrong = `sha512-${Buffer.alloc(64, 1).toString('base64')}`
    further(r.root, { 'package-lock.json': lock.replace('"resolved"', `"integrity":"${wrong}","resolved"`) })
    const { fact, layer } = await r.prepare({ allow_dependencies: true })
    expect([fact.outcome, fact.from, layer === null]).toEqual(['made', 'base', false])
    expect(fact.mismatch).toMatch(/EINTEGRITY[\s\S]*npm ci/)
  }, 60_000)

  test('that may not be made and is not there fails, with a way on', async () => {
    const r = ready(withDependency())
    const { fact, layer } = await r.prepare({}, { mayPrepare: () => Promise.resolve(false) })
    expect([layer, fact.outcome, existsSync(join(r.state, 'layers'))]).toEqual([null, 'failed', false])
    expect(fact.output).toMatch(/proof\.prepare/)
  })

  test('is nothing for a tree without a lock file, and nobody is asked', async () => {
    const r = ready({ 'package.json': '{"scripts":{"test":"node t.js"}}' })
    expect([(await r.prepare()).fact.outcome, r.asked]).toEqual(['none', []])
  })

  test('is what the command of the project makes, wherever in the tree; a failing one says why and leaves nothing', async () => {
    const r = ready({ 'a/keep': 'k', 'b/keep': 'k' })
    const command = 'mkdir -p a/made/x b/gen && touch a/made/x/f b/gen/f top && test ! -e .git/HEAD && test ! -e .git/config'
    const { layer, fact } = await r.prepare({ command })
    expect([fact.outcome, layer?.parts]).toEqual(['made', ['a/made', 'b/gen', 'top']])
    const failed = await r.prepare({ command: 'echo because; exit 3' })
    expect([failed.fact.outcome, failed.layer]).toEqual(['failed', null])
    expect(failed.fact.output).toMatch(/^because\n.*ended with 3/s)
    expect(readdirSync(join(r.state, 'layers'))).toEqual([fact.key])
  })

  test('cannot write anywhere else, and never sees the checkout’s own node_modules as its own', async () => {
    const r = ready({ 'a.txt': 'a', '.gitignore': 'node_modules/\n' })
    write(r.root, { 'node_modules/dep/m.js': 'patched by the worker' })
    const { fact, layer } = await r.prepare({ command: `ls -A > list; touch ${r.root}/bad; touch ${r.state}/bad; true` })
    expect(fact.outcome).toBe('made')
    expect(readFileSync(join(layer!.folder, 'list'), 'utf8')).toBe('.git\n.gitignore\na.txt\nlist\n')
    expect([existsSync(join(r.root, 'bad')), existsSync(join(r.state, 'bad'))]).toEqual([false, false])
  })

  test('caches of programs that look into the home go with it, told by a variable', async () => {
    const r = ready({ 'a.txt': 'a' })
    const { layer } = await r.prepare({ command: 'mkdir -p "$GOMODCACHE/x" && touch "$GOMODCACHE/x/f"' })
    const place = temporaryFolder()
    mkdirSync(join(place, '.git'))
    expect(await copyLayers(r.processes)(place, layer!)).toEqual({ env: { GOMODCACHE: join(place, '.git/layer/go') }, layers: [] })
    expect(existsSync(join(place, '.git/layer/go/x/f'))).toBe(true)
  })

  test.skipIf(!existsSync('/usr/bin/python3'))('a Python environment works in the place that it is copied into', async () => {
    const r = ready({ 'a.txt': 'a' })
    const { layer, fact } = await r.prepare({
      command: `/usr/bin/python3 -m venv --without-pip .venv && printf '#!%s\\nimport sys; print(sys.prefix)\\n' "$PWD/.venv/bin/python3" > .venv/bin/tool && chmod +x .venv/bin/tool`,
    })
    expect(fact.output).toBeUndefined()
    const place = temporaryFolder()
    await copyLayers(r.processes)(place, layer!)
    expect(execFileSync(join(place, '.venv/bin/tool'), { encoding: 'utf8', timeout: 20_000 }).trim()).toBe(join(place, '.venv'))
  })

  test('is shown read-only where it is large: packages one by one, in a folder that runners can write beside them', async () => {
    const r = ready({ 'a.txt': 'a', 'web/b': 'b' })
    const { layer } = await r.prepare({
      command: 'for d in . web; do mkdir -p $d/node_modules/{@s/x,.bin,y}; touch $d/node_modules/{y/f,.lock}; done; touch other',
    })
    const place = temporaryFolder()
    write(place, { 'web/b': 'b' })
    const mount = mountLayers(r.processes, { canShow: true })
    expect((await mount(temporaryFolder(), layer!)).layers).toEqual([])
    const { layers } = await mount(place, { ...layer!, bytes: 2 ** 30 })
    expect(layers.map(({ to }) => to).sort()).toEqual(
      ['', 'web/'].flatMap(folder => ['.bin', '@s', 'y'].map(name => `${folder}node_modules/${name}`)),
    )
    expect(layers.every(({ from, to }) => from === join(layer!.folder, to))).toBe(true)
    expect(readdirSync(join(place, 'web/node_modules'))).toEqual(['.lock'])
    expect(existsSync(join(place, 'other'))).toBe(true)
  })

  test('F-19 never covers what the produced tree holds, and follows no link in it', async () => {
    const r = ready({ 'a.txt': 'a' })
    const { layer } = await r.prepare({ command: 'mkdir -p own linked/deep && touch own/f linked/deep/f' })
    const place = temporaryFolder()
    const elsewhere = temporaryFolder()
    write(place, { 'own/mine': 'm' })
    symlinkSync(elsewhere, join(place, 'linked'))
    await copyLayers(r.processes)(place, layer!)
    expect([readdirSync(join(place, 'own')), readdirSync(elsewhere), lstatSync(join(place, 'linked')).isSymbolicLink()]).toEqual([
      ['mine'],
      [],
      true,
    ])
  })
})

describe('the store of layers', () => {
  const fill =
    (text: string) =>
    ({ tree }: { tree: string }) => {
      write(tree, { 'made/f': text })
      return Promise.resolve(['made'])
    }

  test('two who make the same at once both get it, whole', async () => {
    const state = temporaryFolder()
    const layers = createLayers({ state, clock: systemClock })
    const both = await Promise.all(['1', '2'].map(text => layers.make('k', fill(text))))
    expect(new Set(both.map(({ folder }) => readFileSync(join(folder, 'made/f'), 'utf8'))).size).toBe(1)
    expect(readdirSync(join(state, 'layers'))).toEqual(['k'])
  })

  test('what was half made is not there, and is removed after a while', async () => {
    const state = temporaryFolder()
    write(state, { 'layers/k.0123/tree/half': 'x', 'layers/k.4567/parts/half': 'x' })
    const layers = createLayers({ state, clock: systemClock })
    expect(layers.get('k')).toBeNull()
    const old = new Date(Date.now() - 7_200_000)
    utimesSync(join(state, 'layers/k.0123'), old, old)
    await layers.make('k', fill('1'))
    expect(readdirSync(join(state, 'layers')).sort()).toEqual(['k', 'k.4567'])
  })

  test('goes by age, then by size, the least lately used first, and nothing that was used within the hour', async () => {
    const state = temporaryFolder()
    const clock = handClock(Date.now())
    const layers = createLayers({ state, clock, limits: { days: 10, bytes: 25 } })
    const day = 86_400_000
    for (const key of ['a', 'b', 'c']) {
      await layers.make(key, fill('0123456789'))
      clock.advance(day)
    }
    layers.get('a')
    await layers.make('d', fill('x'))
    expect(readdirSync(join(state, 'layers')).sort()).toEqual(['a', 'c', 'd'])
    clock.advance(11 * day)
    await layers.make('e', fill('x'))
    expect(readdirSync(join(state, 'layers'))).toEqual(['e'])
  })
})
