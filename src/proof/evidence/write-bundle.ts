import { randomBytes } from 'node:crypto'
import { closeSync, constants, existsSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileError, isErrno, makeFolder } from '../../store/files.ts'
import { ATTESTATION, type Bundle, MANIFEST } from './bundle.ts'
import { BundleExists } from './errors.ts'

/** Writes a bundle whole or not at all: made beside its place, read-only and on disk, then renamed. Throws where one is there. */
export function writeBundle(folder: string, bundle: Bundle, attestation: readonly string[]): void {
  if (existsSync(folder)) throw new BundleExists(folder)
  const temporary = `${folder}.${randomBytes(6).toString('hex')}.tmp`
  try {
    makeFolder(dirname(folder))
    mkdirSync(temporary)
    for (const [path, text] of bundle.files) writeEvidence(join(temporary, path), text)
    writeEvidence(join(temporary, MANIFEST), bundle.manifest)
    writeEvidence(join(temporary, ATTESTATION), attestation.map(line => `${line}\n`).join(''))
    renameSync(temporary, folder)
    syncFolder(dirname(folder))
  } catch (error) {
    if (isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw new BundleExists(folder)
    throw fileError(error, folder)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function writeEvidence(path: string, text: string): void {
  makeFolder(dirname(path))
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    writeFileSync(file, text)
    // After the write, and whatever the umask is: everyone may look, nobody changes it by accident.
    fchmodSync(file, 0o444)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
