// Plays commands with the program that was just built: to learn which parts they load, and to have their code kept.
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isPart } from './pack.ts'

export interface Player {
  /** The parts of the program that the command loaded, in their order. It may fail: then there is less to keep. */
  play: (args: readonly string[]) => Promise<string[]>
  /** One after the other. */
  playAll: (commands: readonly (readonly string[])[]) => Promise<string[]>
  close: () => void
}

/** Runs in the checkout of a fresh project against a model that uses every tool that works by itself. As long as this, because V8
 *  keeps with the code which functions were worth compiling well: later runs have them so after a few turns. */
export const A_RUN = ['code', 'Play.', '--scope', '**', '--model', 'played', '--max-tool-calls', '1000', '--max-tokens', '100000000']
const ROUNDS = 30

const stepsOf = (round: number): { name: string; arguments: object }[] => [
  { name: 'read', arguments: { path: 'src/a.txt' } },
  { name: 'write', arguments: { path: `src/b${round}.txt`, content: 'one\ntwo\n' } },
  { name: 'bash', arguments: { command: `cat src/b${round}.txt | sort > src/c.txt && echo done` } },
  { name: 'edit', arguments: { path: `src/b${round}.txt`, search: 'two', replace: 'three' } },
  { name: 'grep', arguments: { pattern: `three${round}` } },
  { name: 'glob', arguments: { pattern: `src/*${round}.txt` } },
  { name: 'ls', arguments: { path: 'src' } },
  { name: 'bash', arguments: { command: `test ${round} = no` } },
]
const STEPS = Array.from({ length: ROUNDS }, (_, round) => stepsOf(round)).flat()

/** Notes which parts are loaded; the outermost process ends last. */
const NOTE = `process.on('exit', () => require('node:fs').writeFileSync(process.env.QED_LOADED, Object.keys(require.cache).join('\\n')))`

export async function openPlayer(qed: string, program: string): Promise<Player> {
  const folder = mkdtempSync(join(tmpdir(), 'qed-build-'))
  const project = join(folder, 'project')
  const model = playedModel()
  await once(model.listen(0, '127.0.0.1'), 'listening')
  const noted = join(folder, 'loaded')
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  put('note.cjs', NOTE)
  put('project/src/a.txt', 'one\ntwo\n')
  const base_url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`
  put('.config/qed/config.json', JSON.stringify({ models: { played: { protocol: 'openai-compatible', model: 'played', base_url } } }))
  const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8', QED_MAX_TURNS: '1000', QED_MAX_STALLS: '1000' }
  await ended('git', ['init', '--quiet', project], { env })
  const play: Player['play'] = async args => {
    writeFileSync(noted, '')
    await ended(qed, args, { cwd: project, env: { ...env, NODE_OPTIONS: `--require=${join(folder, 'note.cjs')}`, QED_LOADED: noted } })
    return readFileSync(noted, 'utf8')
      .split('\n')
      .filter(file => dirname(file) === program)
      .map(file => basename(file))
      .filter(isPart)
  }
  return {
    play,
    playAll: async commands => {
      const parts = new Set<string>()
      for (const args of commands) for (const part of await play(args)) parts.add(part)
      return [...parts]
    },
    close: () => {
      model.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Also where there is no such command: the program is built without git and without walls, too. */
async function ended(command: string, args: readonly string[], options: SpawnOptions): Promise<void> {
  const child = spawn(command, args, { ...options, stdio: 'ignore', timeout: 60_000 })
  await once(child, 'exit').catch(() => undefined)
}

function playedModel(): Server {
  return createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { messages } = JSON.parse(body) as { messages: { role: string }[] }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(replyAt(messages.filter(({ role }) => role === 'assistant').length))
    })
  })
}

function replyAt(turn: number): string {
  const step = STEPS[turn]
  const call = step && {
    index: 0,
    id: `call_${turn}`,
    type: 'function',
    function: { name: step.name, arguments: JSON.stringify(step.arguments) },
  }
  const events = [
    { choices: [{ index: 0, delta: { role: 'assistant', ...(call ? { tool_calls: [call] } : { content: 'All is done.' }) } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10 } },
  ]
  return `${events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
}
