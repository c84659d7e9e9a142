import { timestamp } from '../../kernel/clock.ts'
import { once } from '../../kernel/once.ts'
import { allVisible } from '../../kernel/visible.ts'
import type { AnyOperation, View } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'
import { type Io, write } from './io.ts'
import { LiveLine } from './live-line.ts'
import type { Session } from './session.ts'

/** Where the events of a running operation go. */
export interface Progress {
  /** Absent where nobody looks at them. */
  emit?: (event: object) => Promise<void>
  /** Says something of the program's own. */
  say: (text: string) => void
  /** Leaves the screen to a question while `ask` runs. */
  aside: <T>(ask: () => Promise<T>) => Promise<T>
  /** Takes away what was only of use while it ran. */
  end: () => Promise<void>
  /** The output for a person who saw everything on the screen that it goes to; undefined where they did not. */
  answer?: (output: unknown) => Promise<string | undefined>
}

const silent: Progress = { say: () => undefined, aside: ask => ask(), end: () => Promise.resolve() }

/** For a program events are JSON lines; for a person they are lines, with one live line where progress goes to a terminal. */
export function progressFor(operation: AnyOperation, { io, app, globals, paint }: Session): Progress {
  if (globals.stream) return { ...silent, emit: event => write(io.stdout, `${JSON.stringify({ at: timestamp(app.clock), ...event })}\n`) }
  if (globals.quiet || (globals.json && !(operation.progress && globals.verbose))) return silent
  const end = operation.progress ? 'stderr' : 'stdout'
  const live = operation.view !== undefined && io.terminal[end] && io.env['TERM'] !== 'dumb'
  const view = once(async () => viewOf(operation, await paint(end), live))
  return live ? liveProgress(io[end], { view, paint: () => paint(end), seen: io.terminal.stdout }) : linesProgress(io, end, view)
}

function linesProgress(io: Io, end: 'stdout' | 'stderr', view: () => Promise<View>): Progress {
  return {
    ...silent,
    say: text => void io.stderr.write(`${text}\n`),
    ...inOrder(async event => {
      const { print = '', plain = '' } = (await view()).take(allVisible(event))
      const text = [print, plain].filter(part => part !== '').join('\n')
      if (text !== '') await write(io[end], `${text}\n`)
    }),
  }
}

/** `seen`: the answer goes to the same screen. */
function liveProgress(
  stream: NodeJS.WritableStream,
  { view, paint, seen }: { view: () => Promise<View>; paint: () => Promise<Paint>; seen: boolean },
): Progress {
  let line: LiveLine | undefined
  const { emit, end } = inOrder(async event => {
    const { print = '', piece = '', live } = (await view()).take(allVisible(event))
    line ??= new LiveLine(stream, await paint())
    if (live) line.update(live)
    if (print !== '') line.print(print)
    if (piece !== '') line.write(piece)
  })
  return {
    emit,
    say: text => (line ? line.print(text) : void stream.write(`${text}\n`)),
    async aside(ask) {
      await end()
      line?.hold()
      try {
        return await ask()
      } finally {
        line?.release()
      }
    },
    async end() {
      await end()
      line?.end()
    },
    answer: async output => (seen ? (await view()).answer?.(output) : undefined),
  }
}

/** One event after the other, whatever showing one takes; the end waits for the last. */
function inOrder(show: (event: object) => Promise<void>): Required<Pick<Progress, 'emit' | 'end'>> {
  let last = Promise.resolve()
  return {
    emit: event => {
      // What cannot be shown must not end the work.
      last = last.then(() => show(event)).catch(() => undefined)
      return last
    },
    end: () => last,
  }
}

async function viewOf(operation: AnyOperation, paint: Paint, live: boolean): Promise<View> {
  return (await operation.view?.(paint, { live })) ?? { take: event => ({ print: JSON.stringify(event) }) }
}
