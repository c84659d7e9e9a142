import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { redact } from '../../src/policy/secrets/redact.ts'
import { createRedactor } from '../../src/policy/secrets/stream.ts'
import { type Case, milliseconds } from '../harness.ts'
import { ROOT } from '../scene.ts'

const MEGABYTE = 1e6

/** Megabytes a second through redaction: ordinary code, the same as a stream, and texts made to be slow. */
export function secretsCases(): Case[] {
  const code = globSync('{src,test,bench}/**/*.ts', { cwd: ROOT }).map(file => readFileSync(join(ROOT, file), 'utf8'))
  const files = Array.from({ length: Math.ceil((4 * MEGABYTE) / totalLength(code)) }, () => code).flat()
  const hostile = ['-eyJ', 'password=', 'a://b:', '-----BEGIN A PRIVATE KEY-----', '12345678:', 'sk-', 'token: "'].map(unit =>
    unit.repeat(Math.ceil(MEGABYTE / 4 / unit.length)),
  )
  const rate = async (texts: string[], work: (text: string) => void): Promise<number> => {
    const took = await milliseconds(() => {
      for (const text of texts) work(text)
    })
    return totalLength(texts) / MEGABYTE / (took / 1000)
  }
  const floor = 'one pass of a regular expression'
  return [
    { name: floor, unit: 'MB/s', run: () => rate(files, text => text.replace(/never-there-at-all/g, '')) },
    { name: 'redaction of ordinary code', unit: 'MB/s', floor, goal: { least: 20 }, run: () => rate(files, text => redact(text)) },
    { name: 'redaction of a stream, 256 B pieces', unit: 'MB/s', floor, run: () => rate(files, streamed) },
    { name: 'redaction of hostile text', unit: 'MB/s', run: () => rate(hostile, text => redact(text)) },
  ]
}

function streamed(text: string): void {
  const redactor = createRedactor()
  for (let at = 0; at < text.length; at += 256) redactor.push(text.slice(at, at + 256))
  redactor.end()
}

function totalLength(texts: string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}
