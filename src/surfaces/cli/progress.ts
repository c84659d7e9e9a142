import { allVisible } from '../../kernel/visible.ts'
import type { AnyOperation } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'
import { write } from './io.ts'
import { LiveLine } from './live-line.ts'
import type { Session } from './session.ts'

/** Where the events of a running operation go. */
export interface Progress {
  emit: (event: object) => Promise<void>
  /** Does something that needs the terminal for itself, such as a question. */
  quietly: <T>(work: () => Promise<T>) => Promise<T>
  /** Takes away what was only of use while it ran. */
  end: () => void
}

/** For a program events are JSON lines; for a person they are lines, or one live line where progress goes to a terminal. */
export function progressFor(operation: AnyOperation, { io, globals, paint }: Session): Progress {
  if (globals.stream) return { emit: event => write(io.stdout, `${JSON.stringify(event)}\n`), quietly: atOnce, end: nothing }
  if (globals.quiet || (globals.json && !(operation.progress && globals.verbose)))
    return { emit: () => Promise.resolve(), quietly: atOnce, end: nothing }
  const end = operation.progress ? 'stderr' : 'stdout'
  const lines = async (event: object): Promise<void> => {
    const text = lineOf(operation, allVisible(event), await paint(end))
    if (text !== '') await write(io[end], `${text}\n`)
  }
  if (!operation.liveEvent || !io.terminal.stderr || io.env['TERM'] === 'dumb') return { emit: lines, quietly: atOnce, end: nothing }
  return liveProgress(operation, io.stderr, () => paint(end))
}

function liveProgress(operation: AnyOperation, stderr: NodeJS.WritableStream, paint: () => Promise<Paint>): Progress {
  let line: LiveLine | undefined
  let ended = false
  return {
    async emit(event) {
      const painted = await paint()
      if (ended) return
      line ??= new LiveLine(stderr, painted)
      const shown = allVisible(event)
      const now = operation.liveEvent?.(shown)
      if (now) return line.update(now)
      const text = lineOf(operation, shown, painted)
      if (text !== '') line.print(text)
    },
    async quietly(work) {
      line?.pause()
      try {
        return await work()
      } finally {
        line?.resume()
      }
    },
    end() {
      ended = true
      line?.end()
    },
  }
}

function lineOf(operation: AnyOperation, event: object, paint: Paint): string {
  return operation.humanEvent?.(event, paint) ?? JSON.stringify(event)
}

function nothing(): void {}

function atOnce<T>(work: () => Promise<T>): Promise<T> {
  return work()
}
