// A model that answers at once, in a process of its own: n tool calls, one a turn (read a file, write a file, run `true`, and round
// again), then a last word. It speaks the chat protocol, keeps nothing between requests, and writes down when each came and went.
import { createServer } from 'node:http'

export interface Seen {
  /** Milliseconds since the epoch: the whole request was there; the whole reply was gone. */
  came: number
  gone: number
  bytes: number
}

interface Frame {
  role: string
}

let script = { turns: 1, root: '/' }
let seen: Seen[] = []
const now = (): number => performance.timeOrigin + performance.now()

const STEPS = [
  (n: number) => ({ name: 'read', arguments: { path: `${script.root}/src/f${n % 20}.txt` } }),
  (n: number) => ({ name: 'write', arguments: { path: `${script.root}/out/o${n}.txt`, content: `written at step ${n}\nsecond line\n` } }),
  (n: number) => ({ name: 'bash', arguments: { command: `true # ${n}` } }),
]

function reply(turn: number): string {
  const step = turn < script.turns ? STEPS[turn % STEPS.length]?.(turn + 1) : undefined
  const call = step && {
    index: 0,
    id: `call_${turn}`,
    type: 'function',
    function: { name: step.name, arguments: JSON.stringify(step.arguments) },
  }
  const delta = call ? { role: 'assistant', tool_calls: [call] } : { role: 'assistant', content: 'All turns are done.' }
  const events = [
    { choices: [{ index: 0, delta }] },
    { choices: [{ index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10 } },
  ]
  return `${events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const came = now()
    const body = Buffer.concat(chunks)
    if (request.url === '/script') {
      script = JSON.parse(body.toString('utf8')) as typeof script
      seen = []
      return response.end()
    }
    if (request.url === '/seen') return response.end(JSON.stringify(seen))
    const { messages } = JSON.parse(body.toString('utf8')) as { messages: Frame[] }
    const turn = messages.filter(({ role }) => role === 'assistant').length
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(reply(turn), () => seen.push({ came, gone: now(), bytes: body.length }))
  })
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
process.on('disconnect', () => process.exit())
