import { asData } from '../foreign-text.ts'

/** What is certain about a run, because it was measured or given, and not said by the model. */
export interface KnownFacts {
  prompt: string
  /** Null: nobody asked for a proof. */
  verify: string | null
  scope: readonly string[] | null
  /** By path, what the run's own writes left there; null: nothing. */
  changed: readonly { path: string; digest: string | null }[]
  /** The newest command that failed and has not succeeded since. */
  failed: { command: string; output: string } | null
  /** Of the last proof that did not hold. */
  findings: string | null
  left: { toolCalls: number; tokens: number }
}

const MOST_LINES = 100
const MOST_FILES = 200

/** C-76: the same for a model, word for word. */
export function renderKnown({ prompt, verify, scope, changed, failed, findings, left }: KnownFacts): string {
  return [
    `What was asked for:\n${prompt}`,
    verify !== null && `It is done when this passes in a clean checkout: ${verify}`,
    scope && `You may write only: ${scope.join(', ')}.`,
    changed.length > 0 && `Files that you changed, with their SHA-256:\n${filesOf(changed)}`,
    failed && `The last command that failed:\n${failed.command}\n${asData(lastLines(failed.output), 'bash')}`,
    findings !== null && `Open findings of the last proof:\n${findings}`,
    `Left of the budget: ${left.toolCalls} tool calls, ${left.tokens} tokens.`,
  ]
    .filter(part => typeof part === 'string')
    .join('\n\n')
}

function filesOf(changed: KnownFacts['changed']): string {
  const rest = changed.length - MOST_FILES
  return [
    ...changed.slice(-MOST_FILES).map(({ path, digest }) => `- ${path} ${digest ?? '(deleted)'}`),
    ...(rest > 0 ? [`(and ${rest} that were changed before these)`] : []),
  ].join('\n')
}

function lastLines(output: string): string {
  const lines = output.split('\n')
  const rest = lines.length - MOST_LINES
  return rest > 0 ? [`[${rest} lines left out]`, ...lines.slice(-MOST_LINES)].join('\n') : output
}
