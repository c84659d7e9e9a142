import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { workIn } from '../support/proving.ts'
import { BIN, inTerminal } from '../support/qed.ts'

// What a run did to a checkout is saved turn by turn, and can be taken back.

const FILES = { 'src/a.js': 'one\n', 'src/b.js': 'two\n', 'README.md': 'read me\n', '.gitignore': 'dist/\nnode_modules/\n' }
const edit = (path: string, search: string, replace: string) => ({ name: 'edit', arguments: { path, search, replace } })
const create = (path: string, content: string) => ({ name: 'write', arguments: { path, content } })
const shell = (command: string) => ({ name: 'bash', arguments: { command } })
const done = { name: 'update', arguments: { status: 200, body: 'Done.' } }

interface RunEvent {
  type: string
  data: Record<string, unknown>
}

async function scene(turns: object[], files: Record<string, string> = FILES) {
  const place = workIn(files)
  await place.qed(['init'])
  const script = join(place.env['HOME'] ?? '', 'script.json')
  writeFileSync(script, JSON.stringify({ scripts: { main: { turns } } }))
  const read = (path: string): string | null => {
    const at = join(place.root, path)
    return existsSync(at) ? readFileSync(at, 'utf8') : null
  }
  return {
    ...place,
    read,
    script,
    all: () => ['src/a.js', 'src/b.js', 'src/new.js', 'README.md'].map(read),
    work: (...args: string[]) => place.qed([...args, '--model', `script:${script}`, '--json']),
    last: async () => {
      const { items } = await place.json<{ items: { id: string; alias: string; status: string }[] }>(['run', 'list', '--json'])
      return items[0] ?? { id: '', alias: '', status: '' }
    },
    events: async () => {
      const { items } = await place.json<{ items: { id: string }[] }>(['run', 'list', '--json'])
      const shown = await place.json<{ events: RunEvent[] }>(['run', 'show', items[0]?.id ?? '', '--limit', '1000', '--json'])
      return shown.events
    },
    undo: (args: string, answer = '') => inTerminal(`${BIN} run undo ${args}`, place.env, place.root, answer),
  }
}
const snapshots = (events: RunEvent[]): string[] =>
  events.filter(({ type }) => type === 'snapshot.taken').map(({ data }) => `${String(data['by'])}: ${String(data['reason'])}`)

describe('S-21 the snapshots of a run', () => {
  test('stand before its first effect, after each turn that changed files, and at its end', async () => {
    const { work, events, git, read } = await scene(
      [
        { calls: [{ name: 'read', arguments: { path: 'src/a.js' } }] },
        { calls: [edit('src/a.js', 'one', 'ONE'), create('src/new.js', 'new\n')] },
        { calls: [shell('ls')] },
        { calls: [shell('node tool.cjs')] },
        { calls: [done] },
      ],
      { ...FILES, 'tool.cjs': `require('fs').appendFileSync('src/b.js', 'more\\n')\n` },
    )
    expect((await work('code', 'x', '--scope', 'src/**')).exit).toBe(0)
    const seen = await events()
    expect(snapshots(seen)).toEqual(['other: before the first effect', 'run: turn 1', 'run: turn 3', 'other: end'])
    const refs = seen.filter(({ type }) => type === 'snapshot.taken').map(({ data }) => String(data['ref']))
    expect(refs.map(ref => git('show', `${ref}:src/a.js`))).toEqual(['one', 'ONE', 'ONE', 'ONE'])
    expect(refs.map(ref => git('show', `${ref}:src/b.js`))).toEqual(['two', 'two', 'two\nmore', 'two\nmore'])
    expect(git('ls-tree', '-r', '--name-only', refs[3] ?? '')).not.toContain('.qed/qed.db')
    expect([git('status', '--porcelain', 'src/a.js'), read('src/b.js')]).toEqual(['M src/a.js', 'two\nmore\n'])
    git('gc', '--quiet', '--prune=now')
    expect(git('fsck', '--connectivity-only', '--no-dangling')).toBe('')
    expect(refs.map(ref => git('cat-file', '-t', ref))).toEqual(['commit', 'commit', 'commit', 'commit'])
  })

  test('are none of a run that only reads, and none of one that changed nothing', async () => {
    const { work, events } = await scene([{ calls: [{ name: 'read', arguments: { path: 'src/a.js' } }] }, { text: 'Done.' }])
    await work('explain', 'x')
    expect(snapshots(await events())).toEqual([])
    await work('code', 'x', '--scope', 'src/**')
    expect(snapshots(await events())).toEqual([])
  })

  test('U-17, R-30: are taken at Ctrl-C too', async () => {
    const { root, env, script, events, read } = await scene([
      { calls: [edit('src/a.js', 'one', 'ONE')] },
      { calls: [shell('echo half > src/new.js; sleep 60')] },
    ])
    const child = spawn(BIN, ['code', 'x', '--scope', 'src/**', '--model', `script:${script}`], { cwd: root, env, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    await vi.waitUntil(() => read('src/new.js') === 'half\n', { timeout: 30_000, interval: 50 })
    child.kill('SIGINT')
    const [exit] = (await once(child, 'exit')) as [number | null]
    expect(exit).toBe(130)
    expect(snapshots(await events())).toEqual(['other: before the first effect', 'run: turn 0', 'run: turn 1', 'other: end'])
  })
})

describe('qed run undo', () => {
  const worked = async () => {
    const at = await scene([
      { calls: [edit('src/a.js', 'one', 'ONE')] },
      { calls: [create('src/new.js', 'new\n'), shell('rm src/b.js; chmod 600 src/a.js')] },
      { calls: [done] },
    ])
    expect((await at.work('code', 'x', '--scope', 'src/**')).exit).toBe(0)
    return { ...at, alias: (await at.last()).alias }
  }

  test('shows the change and asks; Enter means no', async () => {
    const { undo, alias, all } = await worked()
    const { stdout, status } = undo(alias, '\n')
    expect(stdout).toContain('restore src/b.js'.replace('restore', 'create '))
    expect(stdout).toMatch(/\[y\/N\]/)
    expect([status, all()]).toEqual([4, ['ONE\n', null, 'new\n', 'read me\n']])
  })

  test('takes back the last turn that changed files, what its commands did included; again, the one before', async () => {
    const { undo, alias, all, root, events, qed } = await worked()
    expect(undo(`${alias} --yes`).status).toBe(0)
    expect(all()).toEqual(['ONE\n', 'two\n', null, 'read me\n'])
    expect(statSync(join(root, 'src/a.js')).mode & 0o777).toBe(0o644)
    expect(undo(`${alias} --yes`).status).toBe(0)
    expect(all()).toEqual(['one\n', 'two\n', null, 'read me\n'])
    expect(undo(`${alias} --yes`).stdout).toContain('nothing to undo')
    expect((await events()).filter(({ type }) => type === 'run.undone').map(({ data }) => data['changes'])).toEqual([3, 1])
    expect((await qed(['events', 'verify'])).exit).toBe(0)
  })

  test('is told to the model that goes on with the run', async () => {
    const { undo, alias, qed, script } = await worked()
    undo(`${alias} --yes`)
    const turns = [{ when: { sees: 'undone work of yours since: 3 files were put back' }, text: 'I know.' }]
    writeFileSync(script, JSON.stringify({ scripts: { main: { turns, otherwise: { text: 'Nobody told me.' } } } }))
    expect((await qed(['run', 'resume', alias, 'go on'])).stdout).toContain('I know.')
  })

  test('goes back before a turn, and with a dry run only says so', async () => {
    const { undo, alias, all } = await worked()
    const dry = undo(`${alias} --to-turn 0 --dry-run --json`)
    expect(JSON.parse(dry.stdout)).toMatchObject({
      changes: [
        { path: 'src/a.js', action: 'restore' },
        { path: 'src/b.js', action: 'create' },
        { path: 'src/new.js', action: 'delete' },
      ],
      blocked: [],
      undone: false,
    })
    expect(all()).toEqual(['ONE\n', null, 'new\n', 'read me\n'])
    expect(undo(`${alias} --to-turn 0 --yes`).status).toBe(0)
    expect(all()).toEqual(['one\n', 'two\n', null, 'read me\n'])
    expect(undo(`${alias} --to-turn 9`).status).toBe(2)
  })

  test('writes nothing where someone else has changed a file since, and names it', async () => {
    const { undo, alias, all, root } = await worked()
    writeFileSync(join(root, 'src/new.js'), 'mine now\n')
    expect(JSON.parse(undo(`${alias} --dry-run --json`).stdout)).toMatchObject({
      blocked: [{ path: 'src/new.js', why: 'someone else has changed it since' }],
    })
    const { status, stdout } = undo(`${alias} --yes --json`)
    expect([status, JSON.parse(stdout)]).toEqual([8, { error: expect.objectContaining({ code: 'conflict' }) }])
    expect(all()).toEqual(['ONE\n', null, 'mine now\n', 'read me\n'])
  })

  test('leaves alone what someone else changed elsewhere, and saves what is there first', async () => {
    const { undo, alias, all, root, git, events } = await worked()
    writeFileSync(join(root, 'README.md'), 'my words\n')
    mkdirSync(join(root, 'notes'))
    writeFileSync(join(root, 'notes/mine'), 'mine\n')
    expect(undo(`${alias} --yes`).status).toBe(0)
    expect([...all(), readFileSync(join(root, 'notes/mine'), 'utf8')]).toEqual(['ONE\n', 'two\n', null, 'my words\n', 'mine\n'])
    const before = String((await events()).find(({ type }) => type === 'run.undone')?.data['before'])
    expect([git('show', `${before}:src/new.js`), git('show', `${before}:notes/mine`)]).toEqual(['new', 'mine'])
  })

  test('is a person’s alone', async () => {
    const { qed, alias } = await worked()
    expect((await qed(['run', 'undo', alias, '--yes'])).exit).toBe(4)
  })

  test('does not take what someone changed while the run worked for the run’s doing', async () => {
    const at = await scene([
      { calls: [edit('src/a.js', 'one', 'ONE')] },
      { delay_ms: 3000, calls: [shell('echo x > src/new.js')] },
      { calls: [done] },
    ])
    const child = spawn(BIN, ['code', 'x', '--scope', 'src/**', '--model', `script:${at.script}`], {
      cwd: at.root,
      env: at.env,
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await vi.waitUntil(() => at.read('src/a.js') === 'ONE\n', { timeout: 30_000, interval: 20 })
    writeFileSync(join(at.root, 'src/b.js'), 'mine\n')
    await once(child, 'exit')
    expect(snapshots(await at.events())).toEqual([
      'other: before the first effect',
      'run: turn 0',
      'other: changed by others',
      'run: turn 1',
      'other: end',
    ])
    expect(at.undo(`${(await at.last()).alias} --to-turn 0 --yes`).status).toBe(0)
    expect(at.all()).toEqual(['one\n', 'mine\n', null, 'read me\n'])
  })
})

describe('S-29 the sweep of a run', () => {
  test('puts back what a command changed outside the scope, tells the model, and keeps what it took away', async () => {
    const { work, events, all, root, git } = await scene(
      [{ calls: [shell('node tool.cjs')] }, { when: { sees: 'outside the scope.*added src/stray.txt' }, calls: [done] }],
      {
        ...FILES,
        'tool.cjs': `const { writeFileSync } = require('fs')\nwriteFileSync('src/stray.txt', 'stray\\n')\nwriteFileSync('src/b.js', 'b\\n')\n`,
      },
    )
    const ran = await work('code', 'x', '--scope', 'src/*.js')
    expect(JSON.parse(ran.stdout)).toMatchObject({ text: 'Done.', run: { status: 'completed' } })
    expect([all()[1], existsSync(join(root, 'src/stray.txt'))]).toEqual(['b\n', false])
    const reverted = (await events()).find(({ type }) => type === 'scope.reverted')
    expect(reverted?.data).toMatchObject({ paths: [{ path: 'src/stray.txt', kind: 'added' }] })
    expect(readFileSync(join(String(reverted?.data['kept']), 'src/stray.txt'), 'utf8')).toBe('stray\n')
    expect(git('show', `${String(reverted?.data['snapshot'])}:src/stray.txt`)).toBe('stray')
  })

  test('ends the run at the third time', async () => {
    const { work, events } = await scene(
      [1, 2, 3, 4].map(n => ({ calls: [shell(`node tool.cjs ${n}`)] })),
      { ...FILES, 'tool.cjs': `require('fs').writeFileSync('src/stray.txt', process.argv[2])\n` },
    )
    const ran = await work('code', 'x', '--scope', 'src/*.js')
    expect(JSON.parse(ran.stdout)).toMatchObject({ run: { status: 'failed', outcome_reason: expect.stringMatching(/^scope\.repeated: /) } })
    const seen = await events()
    expect(seen.filter(({ type }) => type === 'scope.reverted')).toHaveLength(3)
    expect(seen.find(({ type }) => type === 'finding.recorded')?.data).toMatchObject({ finding: { id: 'scope.repeated' } })
  })

  test('leaves alone what someone else changes outside meanwhile, where the command could not have', async () => {
    const at = await scene([{ calls: [shell('echo go > src/go.js; sleep 2')] }, { calls: [done] }])
    const child = spawn(BIN, ['code', 'x', '--scope', 'src/*.js', '--model', `script:${at.script}`], {
      cwd: at.root,
      env: at.env,
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await vi.waitUntil(() => at.read('src/go.js') !== null, { timeout: 30_000, interval: 20 })
    writeFileSync(join(at.root, 'README.md'), 'my words\n')
    await once(child, 'exit')
    expect(at.read('README.md')).toBe('my words\n')
    expect((await at.events()).filter(({ type }) => type === 'scope.reverted')).toEqual([])
  })
})

describe('I-3 --isolated', () => {
  const isolated = async (turns: object[], ...more: string[]) => {
    const at = await scene(turns, { ...FILES, 'test/a.test.sh': 'test "$(cat src/a.js)" = ONE\n' })
    const ran = await at.work('code', 'x', '--scope', 'src/**', '--isolated', ...more)
    const result = JSON.parse(ran.stdout) as { place: string; text: string; run: { id: string; alias: string; outcome: string } }
    return { ...at, ran, result, inPlace: (path: string) => readFileSync(join(result.place, path), 'utf8') }
  }

  test('writes in a place, leaves the checkout as it is, and names what to do with the change', async () => {
    const at = await isolated([
      { calls: [edit('src/a.js', 'one', 'ONE')] },
      { calls: [shell('cp src/a.js src/new.js')] },
      { calls: [done] },
    ])
    expect(at.result).toMatchObject({ text: 'Done.', run: { outcome: 'unproven' } })
    expect([at.all(), at.inPlace('src/a.js'), at.inPlace('src/new.js')]).toEqual([['one\n', 'two\n', null, 'read me\n'], 'ONE\n', 'ONE\n'])
    expect(snapshots(await at.events())).toEqual(['other: before the first effect', 'run: turn 0', 'run: turn 1', 'other: end'])
    expect(at.undo(`${at.result.run.alias} --yes`).status).toBe(0)
    expect([existsSync(join(at.result.place, 'src/new.js')), at.inPlace('src/a.js')]).toEqual([false, 'ONE\n'])
    const { items } = await at.json<{ items: { ref: string }[] }>(['snapshot', 'list', at.result.run.id, '--json'])
    const shown = await at.json<{ digest: string }>([
      'snapshot',
      'restore',
      items.at(-1)?.ref ?? '',
      '--into',
      '.',
      '--paths',
      'src',
      '--json',
    ])
    await at.qed(['snapshot', 'restore', items.at(-1)?.ref ?? '', '--into', '.', '--paths', 'src', '--agreed', shown.digest])
    expect(at.all()).toEqual(['ONE\n', 'two\n', null, 'read me\n'])
    expect((await at.qed(['place', 'clean', at.result.run.id])).exit).toBe(0)
    expect(existsSync(at.result.place)).toBe(false)
  })

  test('the command that is printed takes the change over, new files too, and leaves what others have there', async () => {
    const at = await scene([{ calls: [edit('src/a.js', 'one', 'ONE')] }, { calls: [shell('cp src/a.js src/new.js')] }, { calls: [done] }])
    writeFileSync(join(at.root, 'mine.txt'), 'mine\n')
    const { stdout } = await at.qed(['code', 'x', '--scope', 'src/**', '--isolated', '--model', `script:${at.script}`])
    const command = /to take it over: (.*)/.exec(stdout)?.[1] ?? ''
    execFileSync('sh', ['-c', command], { cwd: at.root })
    expect([at.read('src/a.js'), at.read('src/new.js'), at.read('mine.txt')]).toEqual(['ONE\n', 'ONE\n', 'mine\n'])
    expect(existsSync(join(at.root, '.qed/project.json'))).toBe(true)
  })

  test('with --verify proves what is in the place, and not the checkout', async () => {
    const at = await isolated([{ calls: [edit('src/a.js', 'one', 'ONE')] }, { calls: [done] }], '--verify', 'sh test/a.test.sh')
    expect([at.ran.exit, at.result.run.outcome, at.read('src/a.js')]).toEqual([0, 'proven', 'one\n'])
  })
})

test('where what is there cannot be saved, nothing is changed, and the model is told why', async () => {
  const { work, all, root } = await scene([
    { calls: [edit('src/a.js', 'one', 'ONE')] },
    { when: { sees: 'could not be saved' }, text: 'I see.' },
  ])
  const refs = join(root, '.git/refs/qed')
  rmSync(refs, { recursive: true, force: true })
  writeFileSync(refs, 'in the way')
  chmodSync(refs, 0o400)
  const ran = await work('code', 'x', '--scope', 'src/**')
  expect(JSON.parse(ran.stdout)).toMatchObject({ text: 'I see.' })
  expect(all()[0]).toBe('one\n')
})

test('R-30: where what a run left cannot be saved it ends all the same, and the record says so', async () => {
  const at = await scene([{ calls: [edit('src/a.js', 'one', 'ONE')] }, { delay_ms: 600_000, text: 'never' }])
  const child = spawn(BIN, ['code', 'x', '--scope', 'src/**', '--model', `script:${at.script}`], {
    cwd: at.root,
    env: at.env,
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await vi.waitFor(async () => expect(snapshots(await at.events())).toContain('run: turn 0'), { timeout: 30_000, interval: 50 })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const refs = join(at.root, '.git/refs/qed')
  rmSync(refs, { recursive: true })
  writeFileSync(refs, 'in the way')
  const { alias } = await at.last()
  expect((await at.qed(['run', 'abort', alias])).exit).toBe(0)
  expect((await at.events()).slice(-2)).toMatchObject([
    { type: 'error.recorded', data: { where: 'snapshot' } },
    { type: 'run.stopped', data: { outcome: 'cancelled' } },
  ])
})

test('R-30: a run whose process was killed is saved when it is aborted, and can be undone', async () => {
  const at = await scene([{ calls: [edit('src/a.js', 'one', 'ONE')] }, { calls: [shell('echo half > src/new.js; sleep 60')] }])
  const child = spawn(BIN, ['code', 'x', '--scope', 'src/**', '--model', `script:${at.script}`], {
    cwd: at.root,
    env: at.env,
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await vi.waitUntil(() => at.read('src/new.js') === 'half\n', { timeout: 30_000, interval: 50 })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { alias } = await at.last()
  expect((await at.qed(['run', 'abort', alias])).exit).toBe(0)
  const events = await at.events()
  expect(snapshots(events).slice(-2)).toEqual(['run: turn 0', 'run: aborted'])
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['snapshot.taken', 'run.stopped'])
  expect(at.undo(`${alias} --yes`).status).toBe(0)
  expect(at.all()).toEqual(['ONE\n', 'two\n', null, 'read me\n'])
})
