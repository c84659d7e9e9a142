import { describe, expect, test } from 'vitest'
import { namesInPatch, strippedName } from '../../../src/policy/shell/patch-names.ts'
import type { PathFact } from '../../../src/policy/types.ts'
import { checkRows, ROOT, read, touched } from '../../support/shell.ts'

const diff = (path: string): string => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-x\n+y\n`
const folder: PathFact = { real: `${ROOT}/src`, exists: true, type: 'folder', device: 1, inode: 1, links: 1 }
const world = {
  paths: { [`${ROOT}/src`]: folder, [ROOT]: { ...folder, real: ROOT } },
  inside: {
    [`${ROOT}/x.patch`]: { kind: 'patch' as const, names: namesInPatch(diff('src/a.ts') + diff('src/b.ts')) ?? [] },
    [`${ROOT}/a.tgz`]: { kind: 'archive' as const, names: ['pkg/a.ts', 'pkg/sub/b.ts'] },
    [`${ROOT}/a.zip`]: { kind: 'archive' as const, names: ['pkg/a.ts', '/etc/x'] },
  },
}

describe('patches', () => {
  // Names of git's own diffs start at the top, others where the shell stands.
  const inSource = (use: string): string => use.replace('/w/p/', '/w/p/src/')
  const both = ['create /w/p/src/a.ts', 'create /w/p/src/b.ts']
  checkRows(
    'P-4',
    'a patch writes the files that it names',
    [
      ['git apply x.patch', 'other', '', ['read /w/p/x.patch', ...both]],
      ['git apply < x.patch', 'other', '', [...both, 'read /w/p/x.patch']],
      ['git am x.patch', 'other', '', ['read /w/p/x.patch', ...both]],
      ['patch -p1 -i x.patch', 'other', '', ['read /w/p/x.patch', ...both]],
      ['patch -p2 < x.patch', 'other', '', ['create /w/p/a.ts', 'create /w/p/b.ts', 'read /w/p/x.patch']],
      ['patch < x.patch', 'other', '', ['create /w/p/a.ts', 'create /w/p/b.ts', 'read /w/p/x.patch']],
      ['patch lib/c.ts x.patch', 'other', '', ['read /w/p/x.patch', 'write /w/p/lib/c.ts']],
      ['patch -d lib -p1 -i x.patch', 'other', '', ['read /w/p/x.patch', 'create /w/p/lib/src/a.ts', 'create /w/p/lib/src/b.ts']],
      ['git apply --directory=lib x.patch', 'other', '', ['read /w/p/x.patch', 'create /w/p/lib/src/a.ts', 'create /w/p/lib/src/b.ts']],
      [`git apply <<'E'\n${diff('src/c.ts')}E`, 'other', '', ['create /w/p/src/c.ts']],
      ['git apply --check x.patch', 'other', '', ['read /w/p/x.patch']],
      ['patch --dry-run -p1 -i x.patch', 'other', '', ['read /w/p/x.patch']],
      ['git am --abort', 'other', '', []],
      ['cd src && git apply /w/p/x.patch', 'other', '', ['list /w/p/src', 'read /w/p/x.patch', ...both, ...both.map(inSource)]],
    ],
    world,
  )

  checkRows(
    'P-4',
    'one that nobody can look into may write anything in its folder',
    [
      ['git apply other.patch', 'other', 'ambiguous', ['read /w/p/other.patch', 'create* /w/p']],
      ['curl -s https://x.io/p | git apply', 'other', 'ambiguous', ['net.get x.io', 'create* /w/p']],
      ['cp y x.patch && git apply x.patch', 'other', 'ambiguous'],
      ['echo > x.patch; patch -p1 -i x.patch', 'other', 'ambiguous'],
      ['git apply $P', 'other', 'ambiguous'],
      ['patch -e -p1 -i x.patch', 'other', 'ambiguous', ['read /w/p/x.patch', 'create* /w/p']],
      ['git apply --unsafe-paths x.patch', 'other', 'ambiguous'],
      ['cat x.patch | git apply', 'other', 'ambiguous', ['read /w/p/x.patch', 'create* /w/p']],
    ],
    world,
  )

  test('names are those outside hunks, of both sides, renames and copies included', () => {
    const moved = 'diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n'
    const shaped = `${diff('a b.ts')}--- a/c.sql\n+++ b/c.sql\n@@ -1,2 +1 @@\n--- not a name\n x\n${moved}--- /dev/null\n+++ "b/\\303\\244"\t2020\n@@ -0,0 +1 @@\n+x\n`
    const names = namesInPatch(shaped)?.map(name => strippedName(name, 1))
    expect([...new Set(names)]).toEqual(['a b.ts', 'c.sql', 'old', 'new', 'ä'])
  })

  test.each(['', 'no diff at all', '*** a\n--- b\n', '1,2c3\n< a\n', '5d\n', '1!id\n', '1,2s\n', 'diff --git a/x y b/z\n'])(
    '%j names no files for certain',
    text => {
      expect(namesInPatch(text)).toBeNull()
    },
  )
})

describe('archives', () => {
  checkRows(
    'P-4',
    'unpacking writes what is inside, packing reads what goes in',
    [
      ['tar xzf a.tgz', 'other', '', ['read /w/p/a.tgz', 'create /w/p/pkg/a.ts', 'create /w/p/pkg/sub/b.ts']],
      ['tar -xf a.tgz -C src --strip-components=1', 'other', '', ['read /w/p/a.tgz', 'create /w/p/src/a.ts', 'create /w/p/src/sub/b.ts']],
      ['tar xf a.tgz pkg/sub', 'other', '', ['read /w/p/a.tgz', 'create /w/p/pkg/sub/b.ts']],
      ['tar czf out.tgz src', 'other', '', ['create /w/p/out.tgz', 'read* /w/p/src']],
      ['tar -C src -cf out.tar .', 'other', '', ['create /w/p/out.tar', 'read* /w/p/src']],
      ['unzip -q a.zip -d src', 'other', '', ['read /w/p/a.zip', 'create /w/p/src/pkg/a.ts', 'create /etc/x']],
      ['unzip -p a.zip pkg/a.ts', 'other', '', ['read /w/p/a.zip']],
      ['7z x a.zip -osrc', 'other', '', ['read /w/p/a.zip', 'create /w/p/src/pkg/a.ts', 'create /etc/x']],
      ['7z l a.zip', 'other', '', ['read /w/p/a.zip']],
      ['zip -r out.zip src', 'other', '', ['create /w/p/out.zip', 'read* /w/p/src']],
    ],
    world,
  )

  checkRows(
    'P-4',
    'what cannot be looked into, or runs a program, may do anything in its folder',
    [
      ['tar xf other.txz -C src', 'other', 'ambiguous', ['read /w/p/other.txz', 'create* /w/p/src']],
      ['tar xf a.tgz --to-command=sh', 'other', 'ambiguous', ['read /w/p/a.tgz', 'create* /w/p']],
      ['tar xf a.tgz --checkpoint-action=exec=id', 'other', 'ambiguous'],
      ['tar xf a.tgz -I ./x', 'other', 'ambiguous'],
      ['tar -tf host:a', 'other', 'ambiguous'],
      ['tar xPf a.tgz', 'other', 'ambiguous'],
      ['tar xf a.tgz --transform s/a/b/', 'other', 'ambiguous'],
      ['cp b.tgz a.tgz; tar xf a.tgz', 'other', 'ambiguous'],
      ['cpio -idm < a.cpio', 'other', 'ambiguous', ['create* /w/p', 'read /w/p/a.cpio']],
      ['find src | cpio -pd lib', 'other', 'ambiguous', ['list* /w/p/src', 'create* /w/p/lib']],
      ['bsdtar -xf a.rar', 'other', 'ambiguous', ['read /w/p/a.rar', 'create* /w/p']],
      ['7z e a.zip', 'other', 'ambiguous', ['read /w/p/a.zip', 'create* /w/p']],
      ['zip -T -TT ./x out.zip a', 'other', 'ambiguous'],
    ],
    world,
  )
})

describe('git in the work tree', () => {
  checkRows(
    'P-32',
    'what git takes out of its store is written',
    [
      ['git stash pop', 'other', '', ['create* /w/p']],
      ['cd src && git stash apply', 'other', '', ['list /w/p/src', 'create* /w/p']],
      ['git stash', 'other', '', []],
      ['git checkout HEAD~1 src', 'destructive', 'destructive', ['write* /w/p/src']],
      ['git restore :/src', 'destructive', 'destructive', ['write* /w/p/src']],
      ['git mv src lib', 'other', '', ['move* /w/p/src', 'move /w/p/lib']],
    ],
    world,
  )

  test('P-4 many files stand for their folder', () => {
    const names = Array.from({ length: 501 }, (_, i) => `f${i}`)
    expect(touched(read('tar xf big.tar', { inside: { [`${ROOT}/big.tar`]: { kind: 'archive', names } } }))).toEqual([
      'read /w/p/big.tar',
      'create* /w/p',
    ])
  })
})
