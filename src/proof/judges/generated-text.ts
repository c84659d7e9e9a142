/** Languages in which logic can be shipped in a form that nobody reads. Data is long-lined by nature. */
const CODE = /\.(?:[cm]?[jt]sx?|css|html?|py|rb|php|lua|pl|sh|sql|go|rs|java|kt|cs|swift)$/i
const MINIFIED_NAME = /[.-](?:min|bundle|bundled)\.(?:[cm]?js|css)$/i
const LONGEST_LINE = 5_000
const LONG_AVERAGE = 300
const LEAST_FOR_AVERAGE = 5_000

/** Marks that generators write, in a comment near the top. */
const MARK =
  /@generated\b|\bcode generated\b.*\bdo not edit\b|\b(?:auto-?|automatically )generated\b|\bgenerated (?:by|from|with|file)\b.*\bdo not (?:edit|modify)\b/i
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#|--|;|%|<!--|"""|\{-)/
const LINES_OF_HEAD = 12
const LONGEST_MARK = 500

/** What bundlers leave behind. */
const BUNDLE = /__webpack_require__|^\/\*{6}\/|^var __(?:commonJS|defProp|getOwnPropNames) =|^\/\/# sourceMappingURL=/m

/** Why a text is minified, bundled or generated, or null. */
export function generatedBecause(path: string, text: string): string | null {
  const mark = text.split('\n', LINES_OF_HEAD).find(line => COMMENT.test(line) && MARK.test(line.slice(0, LONGEST_MARK)))
  if (mark !== undefined) return 'marked as generated'
  if (MINIFIED_NAME.test(path)) return 'minified by its name'
  if (!CODE.test(path)) return null
  if (/\.(?:[cm]?js)$/i.test(path) && BUNDLE.test(text)) return 'bundled'
  const lines = text.split('\n')
  if (lines.some(line => line.length > LONGEST_LINE)) return `a line longer than ${LONGEST_LINE} characters`
  return text.length > LEAST_FOR_AVERAGE && text.length / lines.length > LONG_AVERAGE ? 'minified by the length of its lines' : null
}
