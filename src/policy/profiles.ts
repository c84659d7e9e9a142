import type { AdvisorProfile } from './types.ts'

const READ_TOOLS = ['ls', 'glob', 'grep', 'read']
const ALL_TOOLS = [...READ_TOOLS, 'git_read']

const PROFILE_TOOLS: Record<string, string[]> = {
  none: [],
  'read-only-lite': READ_TOOLS,
  'git-review-readonly': ALL_TOOLS,
}

export const DEFAULT_PROFILE = 'read-only-lite'

/** The tools of a profile. Names that no advisor can have are dropped and told. An unknown profile offers nothing. */
export function advisorProfile(name: string, wanted: string[] = []): { profile: AdvisorProfile; dropped: string[] } {
  if (name !== 'custom-read-only') return { profile: { name, tools: PROFILE_TOOLS[name] ?? [] }, dropped: [] }
  const tools = ALL_TOOLS.filter(tool => wanted.includes(tool))
  return { profile: { name, tools }, dropped: wanted.filter(tool => !ALL_TOOLS.includes(tool)) }
}

/** What one call of an advisor may use up, unless its settings say otherwise. */
export const ADVISOR_CAPS = {
  tool_calls: 10,
  files: 8,
  bytes_per_file: 204_800,
  bytes: 1_048_576,
  grep_matches: 200,
  glob_paths: 500,
} as const
export type AdvisorCaps = Record<keyof typeof ADVISOR_CAPS, number>

/** The first cap that these amounts exceed, or null. */
export function exceededCap(
  used: Partial<AdvisorCaps>,
  caps: AdvisorCaps = ADVISOR_CAPS,
): { code: 'volume-cap'; cap: keyof AdvisorCaps; limit: number } | null {
  for (const cap of Object.keys(caps) as (keyof AdvisorCaps)[]) {
    if ((used[cap] ?? 0) > caps[cap]) return { code: 'volume-cap', cap, limit: caps[cap] }
  }
  return null
}
