const SECOND_MS = 1_000

/** How long a model provider asks us to wait, from its headers; undefined where it says nothing that can be read. */
export function readRetryAfter(headers: Readonly<Record<string, string | undefined>>, now: number): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return exact
  const said = headers['retry-after']?.trim()
  if (said === undefined || said === '') return undefined
  const seconds = Number(said)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * SECOND_MS : undefined
  const date = Date.parse(said)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
