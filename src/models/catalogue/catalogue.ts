import { InvalidInput, NotFound } from '../../kernel/errors.ts'
import { parseJson } from '../../kernel/json.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { CatalogueFile, type ModelCatalogue } from './schema.ts'
import { snapshot } from './snapshot.ts'

/** The embedded snapshot with what was read from a file over it. A refreshed file that cannot be read counts as none: what is
 *  known about models must not keep one from being used. */
export function readCatalogue(refreshedFile: string): ModelCatalogue {
  const text = readFileIfThere(refreshedFile)
  const parsed = text === null ? undefined : CatalogueFile.safeParse(parseJson(text))
  return parsed?.success ? laidOver(snapshot, parsed.data) : snapshot
}

/** Takes a newer list from a file. Throws `not_found` or `invalid_input`; nothing is changed then. */
export function refreshCatalogue(file: string, refreshedFile: string): ModelCatalogue {
  const text = readFileIfThere(file)
  if (text === null) throw new NotFound(`${file} cannot be read.`, { details: { file }, next: { why: 'Name a JSON file with models.' } })
  const parsed = CatalogueFile.safeParse(parseJson(text))
  if (!parsed.success) {
    throw new InvalidInput(
      `The model list ${file}`,
      parsed.error.issues.slice(0, 10).map(({ path, message }) => ({ path: `/${path.join('/')}`, message })),
    )
  }
  writeFileAtomically(refreshedFile, `${JSON.stringify(parsed.data)}\n`, { private: true })
  return laidOver(snapshot, parsed.data)
}

function laidOver(below: ModelCatalogue, above: ModelCatalogue): ModelCatalogue {
  const named = new Set(above.models.map(({ provider, model }) => `${provider}/${model}`))
  return { at: above.at, models: [...above.models, ...below.models.filter(({ provider, model }) => !named.has(`${provider}/${model}`))] }
}
