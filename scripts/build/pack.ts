// Puts parts of the built program into packs, which the loader opens: what each of some commands loads beyond those before it.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const LOADER = 'loader.js'

/** `loads` says which parts each pack is for; one that an earlier pack holds stays there, and those `apart` stay files. */
export async function packParts(program: string, loads: Record<string, string[]>, apart: readonly string[]): Promise<void> {
  const packOf: Record<string, string> = {}
  for (const [name, parts] of Object.entries(loads)) {
    const own = parts.filter(part => packOf[part] === undefined && !apart.includes(part))
    const pack = writePack(program, name, own)
    for (const part of own) packOf[part] = pack
  }
  for (const part of Object.keys(packOf)) rmSync(join(program, part))
  for (const part of readdirSync(program).filter(isPart)) askTheLoader(join(program, part))
  await writeLoader(program, packOf)
}

function writePack(program: string, name: string, parts: readonly string[]): string {
  const functions = parts.map(
    part => `${JSON.stringify(`./${part}`)}(exports,require,module,__filename){${readFileSync(join(program, part), 'utf8')}\n}`,
  )
  const text = inAscii(`({\n${functions.join(',\n')}\n})\n`)
  // What V8 kept for another text must not be taken for this one.
  const file = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.pack.js`
  writeFileSync(join(program, file), text)
  return file
}

/** So that it can be read without decoding. What esbuild leaves stands in regular expressions, where an escape means the same. */
function inAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A part outside of packs finds those inside. */
function askTheLoader(file: string): void {
  writeFileSync(file, `require=require("./${LOADER}").requirePart;${readFileSync(file, 'utf8')}`)
}

/** `packOf` says which pack a part lies in; all others are files. */
export async function writeLoader(program: string, packOf: Record<string, string>): Promise<void> {
  const table = Object.fromEntries(Object.entries(packOf).map(([part, pack]) => [`./${part}`, pack]))
  await build({
    entryPoints: [join(import.meta.dirname, 'loader.ts')],
    outfile: join(program, LOADER),
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    define: { PACKS: JSON.stringify(table) },
  })
}

export function isPart(file: string): boolean {
  return /^[^.]+\.js$/.test(file)
}
