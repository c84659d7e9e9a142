/** What a model wrote about a file, and what becomes of it. The shapes that callers see. */

/** In the order in which a text is tried. */
export const FORMATS = ['apply_patch', 'search_replace', 'replace_only', 'udiff', 'xml', 'json', 'sed', 'attributes', 'whole'] as const
export type Format = (typeof FORMATS)[number]

export const ACTIONS = ['create', 'update', 'delete', 'rename'] as const
export type Action = (typeof ACTIONS)[number]

export const MATCHES = ['exact', 'numbered', 'trailing', 'shift', 'map', 'fold', 'regex', 'none'] as const
export type Match = (typeof MATCHES)[number]

export const ERROR_CODES = [
  'not_found',
  'ambiguous',
  'empty_search',
  'no_change',
  'malformed',
  'ambiguous_format',
  'elided',
  'exists',
  'missing_file',
  'path_mismatch',
  'multi_file',
  'binary',
  'too_large',
  'timeout',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

export type NearReason = 'applied' | 'order' | 'midline' | 'whitespace' | 'unicode' | 'case' | 'content'

export interface Pair {
  search: string
  replace: string
  all?: boolean | undefined
}

export interface EditInput {
  /** null: there is no such file. */
  original: string | null
  edit: string | Pair | Pair[]
  /** Relative to the project. Used for detection and compared with the paths that the edit names. */
  path?: string | undefined
  /** Forces the format and switches detection off. */
  format?: Format | undefined
}

export interface AppliedEdit {
  index: number
  match: Match
  /** In the text as it stood just before this edit. */
  line: number
  old_lines: number
  new_lines: number
  /** Places changed. */
  count: number
}

export interface Warning {
  code: string
  message: string
  edit?: number
}

export interface EditOutput {
  /** null: the file is to be deleted. */
  content: string | null
  format: Format
  action: Action
  /** Set when the edit names a path; the new one for a rename. */
  path?: string
  changed: boolean
  edits: AppliedEdit[]
  warnings: Warning[]
}

export interface Near {
  line: number
  text: string
  similarity: number
  reason: NearReason
}

interface MatchPlace {
  line: number
  text: string
}

export interface EditError {
  code: ErrorCode
  message: string
  /** Index of the edit, from 0. */
  edit?: number
  /** Line of the edit text. */
  line?: number
  near?: Near
  matches?: MatchPlace[]
  count?: number
  paths?: string[]
  others?: { edit: number; code: ErrorCode; message: string }[]
}

export type Outcome<T> = { kind: 'ok'; value: T } | { kind: 'refused'; error: EditError }
