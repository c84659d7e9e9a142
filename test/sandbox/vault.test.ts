import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as age from 'age-encryption'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { formsOf } from '../../src/policy/secrets/value-forms.ts'
import { REDACTED } from '../../src/sandbox/redaction/text-redactor.ts'
import { redactValues } from '../../src/sandbox/redaction/value-redactor.ts'
import { createCanaryWatch } from '../../src/sandbox/vault/canary.ts'
import { createKnownValues } from '../../src/sandbox/vault/known-values.ts'
import { createSecretFinder } from '../../src/sandbox/vault/secret-finder.ts'
import { createVault, type Vault } from '../../src/sandbox/vault/vault.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type Bench, bench, NODE } from './support.ts'

function vaultIn(folder: string, more: { passphrase?: () => Promise<string> } = {}): Vault {
  return createVault({ project: join(folder, 'project/.qed'), personal: join(folder, 'personal'), clock: systemClock, ...more })
}

const file = (folder: string): string => join(folder, 'personal/vault/secrets.age')

describe('S-42 the vault', () => {
  test('keeps names and scopes, the project’s name wins, and nothing is copied between them', async () => {
    const vault = vaultIn(temporaryFolder())
    await vault.set({ name: 'TOKEN', scope: 'personal', value: 'personal-value', note: 'mine' })
    await vault.set({ name: 'TOKEN', scope: 'project', value: 'project-value' })
    await vault.set({ name: 'OTHER', scope: 'personal', value: 'other-value' })
    expect((await vault.list()).map(({ name, scope, hidden, note }) => [name, scope, hidden, note])).toEqual([
      ['TOKEN', 'project', false, undefined],
      ['TOKEN', 'personal', true, 'mine'],
      ['OTHER', 'personal', false, undefined],
    ])
    expect([await vault.value('TOKEN'), await vault.value('OTHER')]).toEqual(['project-value', 'other-value'])
    await vault.remove('TOKEN', 'project')
    expect(await vault.value('TOKEN')).toBe('personal-value')
    await expect(vault.value('QED_CANARY')).rejects.toMatchObject({ code: 'not_found' })
    expect(JSON.stringify(await vault.list())).not.toContain('-value')
  })

  test.each([
    ['lower', 'longenough'],
    ['A', 'longenough'],
    ['1TOKEN', 'longenough'],
    ['QED_CANARY', 'longenough'],
    ['TOKEN', 'short'],
    ['TOKEN', 'x'.repeat(8193)],
    ['TOKEN', 'zero\0byte-inside'],
  ])('refuses %s with such a value', async (name, value) => {
    await expect(vaultIn(temporaryFolder()).set({ name, scope: 'personal', value })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('S-46 is an age file that any age tool opens, private, with a canary of its own', async () => {
    const folder = temporaryFolder()
    const vault = vaultIn(folder)
    await vault.set({ name: 'TOKEN', scope: 'personal', value: 'personal-value' })
    const key = join(folder, 'personal/keys/vault.txt')
    expect([file(folder), key].map(path => (statSync(path).mode & 0o777).toString(8))).toEqual(['600', '600'])
    const decrypter = new age.Decrypter()
    decrypter.addIdentity(readFileSync(key, 'utf8').split('\n')[1] ?? '')
    const plain = JSON.parse(await decrypter.decrypt(readFileSync(file(folder)), 'text')) as { secrets: Record<string, { value: string }> }
    expect(plain).toEqual({
      version: 1,
      secrets: {
        QED_CANARY: { value: expect.stringMatching(/^qed-canary-[0-9a-f]{48}$/), created_at: expect.any(String) },
        TOKEN: { value: 'personal-value', created_at: expect.any(String) },
      },
    })
    expect(await vault.canaries()).toEqual([plain.secrets['QED_CANARY']?.value])
    expect(readdirSync(join(folder, 'personal/vault'))).toEqual(['secrets.age'])
  })

  test.each([
    ['broken', (folder: string) => writeFileSync(file(folder), 'age-encryption.org/v1\nbroken')],
    ['cut short', (folder: string) => writeFileSync(file(folder), readFileSync(file(folder)).subarray(0, 150))],
    ['empty', (folder: string) => writeFileSync(file(folder), '')],
    ['open to others', (folder: string) => chmodSync(join(folder, 'personal/keys/vault.txt'), 0o644)],
    ['for another identity', (folder: string) => writeFileSync(join(folder, 'personal/keys/vault.txt'), 'AGE-SECRET-KEY-1QQQ\n')],
  ])('S-48 that is %s refuses every use and is never written over', async (_what, spoil) => {
    const folder = temporaryFolder()
    const vault = vaultIn(folder)
    await vault.set({ name: 'TOKEN', scope: 'personal', value: 'personal-value' })
    spoil(folder)
    const before = readFileSync(file(folder))
    const uses = [
      () => vault.list(),
      () => vault.value('TOKEN'),
      () => vault.set({ name: 'NEW', scope: 'personal', value: 'new-value-x' }),
      () => vault.remove('TOKEN', 'personal'),
    ]
    for (const use of uses) await expect(use()).rejects.toThrow(/./)
    expect(readFileSync(file(folder))).toEqual(before)
  })

  test('opens an identity that is under a passphrase, asked for once, and is locked without one', async () => {
    const folder = temporaryFolder()
    await vaultIn(folder).set({ name: 'TOKEN', scope: 'personal', value: 'personal-value' })
    const key = join(folder, 'personal/keys/vault.txt')
    const encrypter = new age.Encrypter()
    encrypter.setPassphrase('correct horse')
    encrypter.setScryptWorkFactor(10)
    writeFileSync(key, await encrypter.encrypt(readFileSync(key, 'utf8')))
    let asked = 0
    const open = vaultIn(folder, { passphrase: () => Promise.resolve((asked++, 'correct horse')) })
    expect([await open.value('TOKEN'), await open.value('TOKEN'), asked]).toEqual(['personal-value', 'personal-value', 1])
    await expect(vaultIn(folder).value('TOKEN')).rejects.toMatchObject({ code: 'vault-unreadable' })
    await expect(vaultIn(folder, { passphrase: () => Promise.resolve('wrong') }).value('TOKEN')).rejects.toMatchObject({
      code: 'vault-unreadable',
    })
  })
})

describe('S-44 the redactor of values', () => {
  const value = `p@ss w0rd/"it's"\\ü+$x`

  test('finds each form, at every alignment and wrapped at 76 columns', () => {
    const bytes = Buffer.from(value)
    const around = [0, 1, 2, 3].map(n => Buffer.concat([Buffer.alloc(60 + n, 'a'), bytes, Buffer.alloc(90, 'b')]))
    const texts = [
      value,
      ...around.map(text => text.toString('base64')),
      ...around.map(text => text.toString('base64url')),
      ...around.map(text => (text.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n')),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      encodeURIComponent(value),
      JSON.stringify({ value }),
      `'${value.replaceAll("'", "'\\''")}'`,
    ]
    for (const text of texts) {
      const redactor = redactValues([value])
      const out = redactor.push(`before ${text} after`) + redactor.end()
      expect(out).toContain(REDACTED)
      expect(out.startsWith('before ') && out.endsWith(' after')).toBe(true)
      expect(formsOf(value).some(form => out.replace(/[\r\n]/g, '').includes(form))).toBe(false)
    }
  })

  test('finds it however the text is cut into pieces, and changes nothing else', () => {
    const secret = 'abababab-abababac'
    const redactedIn = (pieces: string[]): string => {
      const redactor = redactValues([secret])
      return pieces.map(piece => redactor.push(piece)).join('') + redactor.end()
    }
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 12 }), fc.constantFrom('utf8', 'base64', 'hex'), (cuts, form) => {
        const shown = Buffer.from(secret).toString(form)
        const text = `abab ${'ab'.repeat(60)}\n${shown}\nababa ${secret.slice(0, -1)}`
        const at = [0, ...cuts.filter(cut => cut < text.length).sort((a, b) => a - b), text.length]
        const pieces = at.slice(1).map((to, i) => text.slice(at[i], to))
        expect(redactedIn(pieces)).toBe(redactedIn([text]))
        expect(redactedIn(pieces)).not.toContain(shown)
      }),
      { numRuns: 300 },
    )
    expect(redactedIn([`x ${secret} y ${secret.slice(1)}`])).toBe(`x ${REDACTED} y ${secret.slice(1)}`)
  })

  test('S-44 a longer value is not given away by a shorter one that begins it', () => {
    const redactor = redactValues(['secret-value', 'secret-value-and-more'])
    const out = redactor.push('x secret-value') + redactor.push('-and-more y') + redactor.end()
    expect(out).toBe(`x ${REDACTED} y`)
  })
})

describe('S-43 a secret in a process', () => {
  async function withVault(program: string): Promise<Bench & { vault: Vault; secret: string }> {
    const secret = `s3cret-${randomBytes(12).toString('base64')}'"`
    const folder = temporaryFolder()
    const vault = vaultIn(folder)
    await vault.set({ name: 'TOKEN', scope: 'personal', value: secret })
    return { ...bench({ program, secret: vault.value }), vault, secret }
  }

  test('is there as a variable and as a file in memory, for this process alone, and nowhere in its arguments or output', async () => {
    const { run, secret, place, folder } = await withVault('bwrap')
    const script =
      'printf %s "$X" | sha256sum; sha256sum < /run/secrets/TOKEN; echo $X; cat /run/secrets/TOKEN; base64 /run/secrets/TOKEN; cat /proc/*/cmdline | tr "\\0" " "; echo x > /run/secrets/TOKEN; printf %s "$X" > owned.txt'
    const outcome = await run(script, {
      writable: { place, owned: ['**'] },
      secrets: [
        { name: 'TOKEN', as: { env: 'X' } },
        { name: 'TOKEN', as: { file: '/run/secrets/TOKEN' } },
      ],
    })
    const { createHash } = await import('node:crypto')
    const digest = createHash('sha256').update(secret).digest('hex')
    expect(outcome.stdout.text.split('\n').slice(0, 2)).toEqual([`${digest}  -`, `${digest}  -`])
    expect(outcome.stderr.text).toMatch(/file system|Permission denied/)
    expect(JSON.stringify(outcome)).not.toContain(secret.slice(0, 12))
    expect(outcome.stdout.text.split(REDACTED).length).toBeGreaterThanOrEqual(3)
    const next = await run('env; cat /run/secrets/TOKEN; ls /run', {})
    expect(next.stdout.text).not.toContain('X=')
    expect(readFileSync(join(place, 'owned.txt'), 'utf8')).toBe(secret)
    expect(readdirSync(folder)).not.toContain('TOKEN')
  })

  test('without bubblewrap is offered as a variable only', async () => {
    const { run, secret } = await withVault('no-such-bwrap')
    expect(await run('cat /run/secrets/TOKEN', { secrets: [{ name: 'TOKEN', as: { file: '/run/secrets/TOKEN' } }] })).toMatchObject({
      reason: 'not-started',
      error: { code: 'unsupported' },
    })
    const outcome = await run('echo $X', { secrets: [{ name: 'TOKEN', as: { env: 'X' } }] })
    expect([outcome.stdout.text, JSON.stringify(outcome).includes(secret)]).toEqual([`${REDACTED}\n`, false])
  })

  test('that does not exist starts nothing', async () => {
    const { run, folder } = await withVault('bwrap')
    const outcome = await run(`touch ${folder}/ran`, { secrets: [{ name: 'MISSING', as: { env: 'X' } }] })
    expect(outcome).toMatchObject({ reason: 'not-started', error: { code: 'not_found' } })
  })

  test('S-46 the canary in an output is redacted, told, and ends the process', async () => {
    const folder = temporaryFolder()
    const vault = vaultIn(folder)
    await vault.set({ name: 'TOKEN', scope: 'personal', value: 'some-value-here' })
    const canaries = await vault.canaries()
    let told = 0
    const canary = createCanaryWatch({ vault: () => Promise.resolve(vault), onSeen: () => told++ })
    const { run } = bench({ canary })
    const outcome = await run(`printf '%s' ${Buffer.from(canaries[0] ?? '').toString('base64')} | base64 -d; sleep 300`)
    expect(outcome).toMatchObject({ reason: 'aborted', error: { code: 'secret.canary' }, stdout: { text: REDACTED } })
    expect(told).toBeGreaterThan(0)
    vault.markLeaked('a test')
    expect(vault.leaked()).toMatchObject({ where: 'a test' })
  })
})

test('S-46 a vault that another tool made has its bait before the first value is given out', async () => {
  const folder = temporaryFolder()
  const vault = vaultIn(folder)
  await vault.set({ name: 'OTHER', scope: 'project', value: 'to-get-an-identity' })
  const key = /AGE-SECRET-KEY-\S+/.exec(readFileSync(join(folder, 'personal/keys/vault.txt'), 'utf8'))?.[0] ?? ''
  const encrypter = new age.Encrypter()
  encrypter.addRecipient(await age.identityToRecipient(key))
  const plain = { version: 1, secrets: { TOKEN: { value: 'made-elsewhere', created_at: '2026-01-01T00:00:00.000Z' } } }
  writeVaultFile(folder, await encrypter.encrypt(JSON.stringify(plain)))
  expect(await vault.canaries()).toHaveLength(1)
  expect(await vault.value('TOKEN')).toBe('made-elsewhere')
  expect(new Set(await vault.canaries()).size).toBe(2)
  expect((await vault.list()).map(({ name }) => name)).toEqual(['OTHER', 'TOKEN'])
})

test('S-46 anyone can have a text looked through for the bait, in any form, also after the vault has changed', async () => {
  const folder = temporaryFolder()
  const vault = vaultIn(folder)
  const told: string[] = []
  const canary = createCanaryWatch({ vault: () => Promise.resolve(vault), onSeen: where => told.push(where) })
  expect(await canary.look('qed-canary-nothing-yet', 'a prompt')).toBe(false)
  await vault.set({ name: 'TOKEN', scope: 'project', value: 'some-value-here' })
  const [bait = ''] = await vault.canaries()
  expect(await canary.look(`the prompt says ${bait.slice(0, 20)}`, 'a prompt')).toBe(false)
  expect(await canary.look(`a ${Buffer.from(bait).toString('hex')} b`, 'a prompt')).toBe(true)
  expect(await canary.look(new TextEncoder().encode(bait), 'a notification')).toBe(true)
  writeVaultFile(folder, Buffer.from('broken'), 'project/.qed')
  expect(await canary.look(bait, 'evidence')).toBe(true)
  expect(told).toEqual(['a prompt', 'a notification', 'evidence'])
})

test('S-44 the search for values follows the vault, and still knows what was handed out when it is locked', async () => {
  const folder = temporaryFolder()
  const vault = vaultIn(folder)
  const told: string[] = []
  const canary = createCanaryWatch({ vault: () => Promise.resolve(vault), onSeen: where => told.push(where) })
  const values = createKnownValues(() => Promise.resolve(vault))
  const find = createSecretFinder(values, canary)
  const holds = async (text: string): Promise<boolean> => (await find())(Buffer.from(text))
  expect(await holds('first-value-1')).toBe(false)
  await vault.set({ name: 'ONE', scope: 'project', value: 'first-value-1' })
  expect([await holds('x first-value-1 y'), await holds('second-value-2')]).toEqual([true, false])
  await vault.set({ name: 'TWO', scope: 'personal', value: 'second-value-2' })
  expect(await holds(Buffer.from('second-value-2').toString('base64'))).toBe(true)
  const [bait = ''] = await vault.canaries()
  expect([await holds(bait), told]).toEqual([true, ['a changed file']])
  values.add('given-value-3')
  writeVaultFile(folder, Buffer.from('broken'))
  expect([await holds('first-value-1'), await holds('given-value-3'), await holds('nothing here')]).toEqual([true, true, false])
})

describe('S-48 several QED at once', () => {
  const writer = (folder: string, names: string): ChildProcess => {
    const vault = join(import.meta.dirname, '../../src/sandbox/vault/vault.ts')
    const code = `const { createVault } = await import(${JSON.stringify(vault)})
      const vault = createVault({ project: null, personal: ${JSON.stringify(join(folder, 'personal'))}, clock: { now: () => Date.now() } })
      for (const name of ${JSON.stringify(names)}.split(' ')) { await vault.set({ name, scope: 'personal', value: 'value-of-' + name }); console.log(name) }`
    return spawn(NODE, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000 })
  }
  const names = (who: string): string => Array.from({ length: 6 }, (_, i) => `${who}_${i}`).join(' ')

  test('lose no secret of each other', async () => {
    const folder = temporaryFolder()
    const writers = ['AA', 'BB', 'CC'].map(who => writer(folder, names(who)))
    const exits = await Promise.all(writers.map(one => once(one, 'exit')))
    expect(exits.map(([code]) => code as number)).toEqual([0, 0, 0])
    const vault = vaultIn(folder)
    expect((await vault.list()).map(({ name }) => name).sort()).toEqual(['AA', 'BB', 'CC'].flatMap(who => names(who).split(' ')))
    expect(await vault.canaries()).toHaveLength(1)
  })

  test('killed in the middle leave a vault that opens, with everything that was told to be in it, and no lock', async () => {
    const folder = temporaryFolder()
    const done = new Set<string>()
    for (let round = 0; round < 4; round++) {
      const one = writer(folder, names(`R${round}`))
      const seen = new Promise<void>(settle => {
        one.stdout?.on('data', (chunk: Buffer) => {
          for (const name of chunk.toString().split('\n').filter(Boolean)) done.add(name)
          if (done.size > round * 3) settle()
        })
      })
      await Promise.race([seen, once(one, 'exit')])
      one.kill('SIGKILL')
      await once(one, 'close')
    }
    const vault = vaultIn(folder)
    const kept = new Set((await vault.list()).map(({ name }) => name))
    expect([...done].filter(name => !kept.has(name))).toEqual([])
    await vault.set({ name: 'AFTER', scope: 'personal', value: 'and-it-can-be-written' })
    expect(await vault.value('AFTER')).toBe('and-it-can-be-written')
  })
})

function writeVaultFile(folder: string, bytes: Uint8Array, of = 'personal'): void {
  mkdirSync(join(folder, of, 'vault'), { recursive: true })
  writeFileSync(join(folder, of, 'vault/secrets.age'), bytes, { mode: 0o600 })
}

test('S-47 five values printed in every form leave no trace in anything that was written or told', async () => {
  const folder = temporaryFolder()
  const vault = vaultIn(folder)
  const values = Array.from({ length: 5 }, () => `v-${randomBytes(15).toString('base64')}`)
  for (const [i, value] of values.entries()) await vault.set({ name: `SECRET_${i}`, scope: 'project', value })
  const told: string[] = []
  const b = bench({ program: 'bwrap', secret: vault.value })
  for (const i of values.keys()) {
    const script =
      'echo "$S"; echo "$S" >&2; printf %s "$S" | base64; printf %s "a$S" | base64; printf %s "ab$S" | base64; printf %s "$S" | xxd -p; printf %s "$S" | od -An -tx1 | tr -d " \\n"; ' +
      'for i in $(seq 100); do printf "%s%s\\n" "$i" "$S"; done; ls "/no/such/$S"; printf %s "$S" | head -c 9; sleep 0.05; printf %s "$S" | tail -c +10'
    const outcome = await b.run(script, {
      keep: { head: 200, tail: 200 },
      secrets: [{ name: `SECRET_${i}`, as: { env: 'S' } }],
      onOutput: (_stream, text) => told.push(text),
    })
    told.push(JSON.stringify(outcome))
  }
  const written = [b.folder, folder]
    .flatMap(root => readdirSync(root, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  const everything = [...told, ...written].join('\n').replace(/[\r\n]/g, '')
  const hits = values.flatMap(value => formsOf(value)).filter(form => everything.includes(form))
  expect(hits).toEqual([])
})
