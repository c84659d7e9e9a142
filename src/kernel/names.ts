/** One thing has one name; only its spelling changes with the surface: `noun.verb`, `--flag-name`, `key_name`, `camelCase`. */

export function kebabCase(name: string): string {
  return words(name).join('-')
}

export function snakeCase(name: string): string {
  return words(name).join('_')
}

function words(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter(Boolean)
    .map(word => word.toLowerCase())
}

/** The known names most like `wrong`, best first; none when nothing is near enough to be what was meant. */
export function nearest(wrong: string, known: Iterable<string>, most = 3): string[] {
  const limit = Math.max(2, Math.floor(wrong.length / 3))
  return [...known]
    .map(name => ({ name, distance: name.startsWith(wrong) && wrong.length > 1 ? 1 : editDistance(wrong, name, limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name)
}

function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current[j] = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution)
    }
    previous = current
  }
  return previous[b.length] ?? limit + 1
}
