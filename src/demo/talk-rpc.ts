import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connectRpc } from '../client/rpc-client.ts'
import { readServerFile } from '../project/server-file.ts'
import type { Stage } from './stage.ts'

type Used = {
  ping: { input: object; output: object }
  status: { input: object; output: { events: { count: number } } }
}

/** Starts `qed serve`, calls it with its token, and once without. */
export async function talkRpc(stage: Stage): Promise<string> {
  const [command = '', ...before] = stage.self
  const server = spawn(command, [...before, 'serve', '--json'], {
    cwd: stage.repository,
    env: { ...stage.env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    await once(server.stdout, 'data', { signal: AbortSignal.any([stage.signal, AbortSignal.timeout(10_000)]) })
    const file = readServerFile(`${stage.repository}/.qed`)
    if (!file) throw new Error('qed serve wrote no server.json')
    const client = await connectRpc<Used>(file)
    await client.call('ping')
    const { events } = await client.call('status')
    client.close()
    const stranger = await fetch(`http://127.0.0.1:${file.port}/api/status`, { method: 'POST' })
    if (stranger.status !== 401) throw new Error(`a call without a token was answered with ${stranger.status}`)
    return `status says ${events.count} events; without the token: ${stranger.status}`
  } finally {
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  }
}
