import type { KnownModel, ModelCatalogue } from './schema.ts'

/** What is known about a model, by any name that model providers and resellers give it: `anthropic/claude-x`, `claude-x-20250929`,
 *  `claude-x-latest`, `models/gemini-x`, `Claude-X`. Its own provider's row is taken first; a reseller (`openrouter`) takes the
 *  limits of the maker's row and not its prices, which are not what the reseller asks. */
export function findKnown({ models }: ModelCatalogue, wanted: { provider: string; model: string }): KnownModel | null {
  const names = namesOf(wanted.model)
  const own = models.filter(({ provider }) => provider === wanted.provider)
  const found = firstNamed(own, names)
  if (found) return found
  const maker = firstNamed(models, names)
  return maker && { ...maker, provider: wanted.provider, model: wanted.model, prices: undefined }
}

function firstNamed(models: readonly KnownModel[], names: readonly string[]): KnownModel | null {
  for (const name of names) {
    const found = models.find(({ model }) => namesOf(model).includes(name))
    if (found) return found
  }
  return null
}

/** Forms of a name, the most exact first. */
function namesOf(name: string): string[] {
  const whole = name.toLowerCase().replace(/^models\//, '')
  const bare = whole.slice(whole.lastIndexOf('/') + 1)
  return [...new Set([whole, bare, plain(whole), plain(bare)])]
}

// A date, `latest`, a variant behind a colon; and `4.5` beside `4-5`, which the same maker's names are spelled with elsewhere.
function plain(name: string): string {
  return name
    .replace(/:[a-z]+$/, '')
    .replace(/[-@](20\d{6}|20\d\d-\d\d-\d\d|latest)$/, '')
    .replaceAll('.', '-')
}
