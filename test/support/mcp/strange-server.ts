import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

// By hand, because the official SDK does not let a server be like this.
const SOURCE = `
import { createInterface } from 'node:readline'
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const waiting = new Map()
const ask = method => new Promise(answered => {
  waiting.set(method, answered)
  send({ id: method, method, params: {} })
})
const names = ['chatter', 'hologram', 'grow', 'elicitation/create', 'sampling/createMessage', 'roots/list']
const text = text => ({ content: [{ type: 'text', text }] })
const calls = {
  chatter: () => {
    process.stdout.write('starting up\\n{"jsonrpc":"2.0","id":999,"result":{}}\\n{{{ \\u0000\\n')
    return text('fine')
  },
  hologram: () => ({ content: [{ type: 'hologram' }] }),
  grow: () => {
    names.push('later')
    send({ method: 'notifications/tools/list_changed' })
    return text('grown')
  },
  later: () => text('here now'),
}
const greeting = ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 's', version: '1' } })
const answer = async ({ method, params }) => {
  if (method === 'initialize') return greeting(params)
  if (method === 'tools/list') return { tools: names.map(name => ({ name, inputSchema: { type: 'object' } })) }
  if (method === 'tools/call') return calls[params.name]?.() ?? text(JSON.stringify(await ask(params.name)))
}
createInterface({ input: process.stdin }).on('line', async line => {
  const message = JSON.parse(line)
  if (message.method === undefined) return waiting.get(message.id)?.(message)
  if (message.id === undefined) return
  const result = await answer(message)
  send(result ? { id: message.id, result } : { id: message.id, error: { code: -32601, message: 'unknown' } })
})
process.stdout.write('Welcome!\\n')
`

/** A server that talks beside the protocol and asks its client for what clients may refuse. */
export function writeStrangeServer(folder: string): string {
  const file = join(folder, 'strange-server.mjs')
  writeFileSync(file, SOURCE)
  return file
}
