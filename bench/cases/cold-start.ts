import { type Case, milliseconds } from '../harness.ts'
import { BIN, NODE, run, type Scene } from '../scene.ts'

/** Spawn to exit of whole commands, beside Node doing nothing. */
export function coldStartCases({ project, env }: Scene): Case[] {
  const timed =
    (command: string, ...args: string[]) =>
    () =>
      milliseconds(() => run(command, args, { cwd: project, env }))
  const floor = 'node -e 0'
  return [
    { name: floor, unit: 'ms', run: timed(NODE, '-e', '0') },
    { name: 'qed --version', unit: 'ms', floor, goal: { mostRatio: 1.5 }, run: timed(BIN, '--version') },
    { name: 'qed --help', unit: 'ms', floor, goal: { mostRatio: 2.5 }, run: timed(BIN, '--help') },
    { name: 'qed status --json', unit: 'ms', floor, goal: { mostRatio: 2.5 }, run: timed(BIN, 'status', '--json') },
    { name: 'qed events list --json', unit: 'ms', floor, goal: { mostRatio: 2.5 }, run: timed(BIN, 'events', 'list', '--json') },
    { name: 'qed config get mode --json', unit: 'ms', floor, goal: { mostRatio: 2.5 }, run: timed(BIN, 'config', 'get', 'mode', '--json') },
  ]
}
