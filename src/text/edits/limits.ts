/** The bounds of one call. */
export const LIMITS = {
  originalBytes: 10 * 1024 * 1024,
  editBytes: 2 * 1024 * 1024,
  edits: 500,
  searchLines: 2000,
  /** UTF-16 units of what an edit makes of a file. */
  resultUnits: 64 * 1024 * 1024,
  callMs: 2000,
  expressionMs: 250,
} as const

/** How much of what was found a refusal shows. */
export const SHOWN = {
  message: 2000,
  quote: 80,
  places: 10,
  placeText: 200,
  nearLines: 12,
  others: 10,
} as const
