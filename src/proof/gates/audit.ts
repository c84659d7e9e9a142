/** What a built-in gate found. */
export interface Audit {
  /** From 0 to 100. */
  score: number
  critical: string[]
  findings: string[]
}

/** Something that costs points. */
export interface Deduction {
  points: number
  text: string
}

/** 100 less what everything costs, not below 0. */
export function auditOf(deductions: readonly Deduction[], critical: readonly string[] = []): Audit {
  const lost = deductions.reduce((sum, { points }) => sum + points, 0)
  return { score: Math.max(0, 100 - lost), critical: [...critical], findings: deductions.map(({ points, text }) => `${text} (−${points})`) }
}

export function at(path: string | undefined, line?: number): string {
  return path === undefined ? '' : line === undefined ? ` ${path}` : ` ${path}:${line}`
}
