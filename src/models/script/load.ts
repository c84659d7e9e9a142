import { readFileSync } from 'node:fs'
import { type ParseError, parse } from 'jsonc-parser'
import { InvalidInput, NotFound } from '../../kernel/errors.ts'
import { type Script, ScriptFile } from './schema.ts'

export const DEFAULT_SCRIPT = 'main'

/** Reads `<file>[#name]`. Throws `not_found` or `invalid_input`, each with what to do. */
export function loadScript(file: string, name = DEFAULT_SCRIPT): Script {
  const script = readScripts(file)[name]
  if (script) return script
  throw new NotFound(`${file} has no script named ${name}.`, {
    details: { file, names: Object.keys(readScripts(file)) },
    next: { why: `Name one of them behind #: ${Object.keys(readScripts(file)).join(', ') || '(there is none)'}.` },
  })
}

function readScripts(file: string): Record<string, Script> {
  const errors: ParseError[] = []
  const value: unknown = parse(readText(file), errors, { allowTrailingComma: true })
  if (errors.length > 0) throw badScript(file, [{ path: '', message: `it is not JSON from character ${errors[0]?.offset}` }])
  const parsed = ScriptFile.safeParse(value)
  if (!parsed.success) {
    throw badScript(
      file,
      parsed.error.issues.map(issue => ({ path: `/${issue.path.join('/')}`, message: issue.message })),
    )
  }
  for (const [name, script] of Object.entries(parsed.data.scripts)) checkPatterns(file, name, script)
  return parsed.data.scripts
}

function checkPatterns(file: string, name: string, script: Script): void {
  for (const [i, { when }] of script.turns.entries()) {
    if (!when) continue
    try {
      RegExp(when.sees, 's')
    } catch (cause) {
      throw badScript(file, [
        { path: `/scripts/${name}/turns/${i}/when/sees`, message: cause instanceof Error ? cause.message : 'no pattern' },
      ])
    }
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new NotFound(`The script ${file} cannot be read.`, {
      cause,
      details: { file },
      next: { why: 'Name a file as script:<file>[#name].' },
    })
  }
}

function badScript(file: string, issues: { path: string; message: string }[]): InvalidInput {
  return new InvalidInput(`The script ${file}`, issues)
}
