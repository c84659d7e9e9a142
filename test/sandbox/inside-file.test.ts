import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insideFile } from '../../src/sandbox/inside-file.ts'
import { temporaryFolder } from '../support/folders.ts'

function tree(): { folder: string; tar: (...args: string[]) => string } {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'src/empty'), { recursive: true })
  writeFileSync(join(folder, 'src/a.ts'), 'a'.repeat(1000))
  writeFileSync(join(folder, 'src/b.ts'), '')
  let count = 0
  return {
    folder,
    tar: (...args) => {
      const archive = join(folder, `${count++}.tar`)
      execFileSync('tar', ['-cf', archive, '-C', folder, ...args])
      return archive
    },
  }
}

/** A zip archive without compression, with the mode of each entry. */
function zip(entries: { name: string; mode?: number }[]): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  for (const { name, mode = 0o100644 } of entries) {
    const bytes = Buffer.from(name)
    const head = Buffer.alloc(30)
    head.write('PK\u0003\u0004', 'latin1')
    head.writeUInt16LE(bytes.length, 26)
    const entry = Buffer.alloc(46)
    entry.write('PK\u0001\u0002', 'latin1')
    entry.writeUInt16LE(bytes.length, 28)
    entry.writeUInt32LE((mode << 16) >>> 0, 38)
    local.push(head, bytes)
    central.push(entry, bytes)
  }
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(Buffer.concat(local).length, 16)
  return Buffer.concat([...local, ...central, end])
}

test('P-4 a tar archive tells its files, packed with gzip or not', () => {
  const { tar } = tree()
  const names = ['src/a.ts', 'src/b.ts', 'src/empty']
  const seen = (archive: string): unknown => {
    const inside = insideFile(archive)
    return inside?.kind === 'archive' && inside.names.sort()
  }
  expect(seen(tar('src'))).toEqual(names)
  expect(seen(tar('./src'))).toEqual(names)
  expect(seen(tar('-z', 'src'))).toEqual(names)
})

test('P-4 an archive with a link in it tells nothing: files may land behind the link', () => {
  const { folder, tar } = tree()
  symlinkSync('/etc', join(folder, 'src/away'))
  expect(insideFile(tar('src'))).toBeUndefined()
  const other = tree()
  linkSync(join(other.folder, 'src/a.ts'), join(other.folder, 'src/same.ts'))
  expect(insideFile(other.tar('src'))).toBeUndefined()
})

test('P-4 a zip archive tells what its directory names', () => {
  const { folder } = tree()
  const file = join(folder, 'a.zip')
  writeFileSync(file, zip([{ name: 'pkg/' }, { name: 'pkg/a.ts' }, { name: '../up' }]))
  expect(insideFile(file)).toEqual({ kind: 'archive', names: ['pkg/a.ts', '../up'] })
  writeFileSync(file, zip([{ name: 'away', mode: 0o120777 }]))
  expect(insideFile(file)).toBeUndefined()
  writeFileSync(file, Buffer.concat([zip([{ name: 'a' }]), Buffer.from('PK\u0005\u0006 not the end', 'latin1')]))
  expect(insideFile(file)).toBeUndefined()
})

test('P-4 a patch tells its files', () => {
  const { folder } = tree()
  const file = join(folder, 'x.patch')
  writeFileSync(file, '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n')
  expect(insideFile(file)).toEqual({
    kind: 'patch',
    names: [
      { name: 'a/src/a.ts', sided: true },
      { name: 'b/src/a.ts', sided: true },
    ],
  })
})

test('P-4 what is missing, no file, cut off or too large tells nothing', () => {
  const { folder, tar } = tree()
  expect(insideFile(join(folder, 'none'))).toBeUndefined()
  expect(insideFile(folder)).toBeUndefined()
  const packed = tar('-z', 'src')
  writeFileSync(packed, readFileSync(packed).subarray(0, 40))
  expect(insideFile(packed)).toBeUndefined()
  truncateSync(packed, (16 << 20) + 1)
  expect(insideFile(packed)).toBeUndefined()
})
