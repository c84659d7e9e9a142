import type { McpTool } from './types.ts'

const MOST_LISTED = 30
const MOST_LINE = 160
const MOST_DESCRIPTION = 2_000
const MOST_SCHEMA = 12_000

/** The tools that fit a query best, best first; an empty query fits all. */
export function matching(tools: readonly McpTool[], query: string): McpTool[] {
  const words = wordsOf(query)
  if (words.length === 0) return [...tools]
  return tools
    .map(tool => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool)
}

// A name says more than a description; a word that is a whole part of a name says most.
function scoreOf({ server, name, description }: McpTool, words: readonly string[]): number {
  const parts = new Set(wordsOf(`${server} ${name}`))
  const [title, text] = [`${server} ${name}`.toLowerCase(), description.toLowerCase()]
  const worth = (word: string): number => {
    if (parts.has(word)) return 4
    // Inside of others, short words are found everywhere.
    if (word.length < 3) return 0
    return title.includes(word) ? 2 : text.includes(word) ? 1 : 0
  }
  return words.reduce((sum, word) => sum + worth(word), 0)
}

function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/** Names with one line each, for a model that has yet to choose. */
export function listText(tools: readonly McpTool[]): string {
  if (tools.length === 0) return 'No tool matches. Leave query out to see all of them.'
  const rest = tools.length - MOST_LISTED
  return [
    ...tools.slice(0, MOST_LISTED).map(({ server, name, description }) => cut(`${server} ${name}: ${firstLine(description)}`, MOST_LINE)),
    ...(rest > 0 ? [`[${rest} more; narrow the query]`] : []),
  ].join('\n')
}

/** All that a model needs to call one tool. */
export function toolText(tool: McpTool): string {
  const { server, name, description, readOnly } = tool
  return [
    `${server} ${name}${readOnly ? ' (says that it only reads)' : ''}`,
    ...(description === '' ? [] : [cut(description, MOST_DESCRIPTION)]),
    `Arguments: ${schemaText(tool)}`,
  ].join('\n')
}

export function schemaText({ schema }: McpTool): string {
  return cut(JSON.stringify(schema), MOST_SCHEMA)
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)} [${text.length - most} characters left out]`
}
