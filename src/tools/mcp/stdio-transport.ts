// An MCP server as a process of the run: started behind the run's walls, spoken to over its stdin and stdout, ended with the run at
// the latest. The SDK's own transport would start it outside of all that.
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import type { Processes, ProcessOutcome, ProcessSpec } from '../../sandbox/process/types.ts'

/** How long a server may take to leave by itself once its input is closed. */
const LEAVE_MS = 500

export interface StdioTransport extends Transport {
  /** How the process ended; null while it runs. */
  outcome: () => ProcessOutcome | null
}

export function createStdioTransport(processes: Pick<Processes, 'run'>, spec: ProcessSpec): StdioTransport {
  const input = new PassThrough()
  const stop = new AbortController()
  const received = new ReadBuffer()
  let running: Promise<void> | null = null
  let outcome: ProcessOutcome | null = null
  const transport: StdioTransport & { stderr: null; pid: null } = {
    // The SDK tells a local server by these two names; others it would take for HTTP.
    stderr: null,
    pid: null,
    outcome: () => outcome,
    start: () => {
      running = run()
      return Promise.resolve()
    },
    send: message => {
      if (outcome !== null) return Promise.reject(new Error('The server has ended.'))
      return new Promise(sent => void (input.write(serializeMessage(message)) ? sent() : input.once('drain', sent)))
    },
    close: async () => {
      input.end()
      await Promise.race([running, sleep(LEAVE_MS, undefined, { ref: false })])
      stop.abort()
      await running
    },
  }
  const run = async (): Promise<void> => {
    const signal = spec.signal ? AbortSignal.any([spec.signal, stop.signal]) : stop.signal
    outcome = await processes.run({ ...spec, signal, stdin: input, background: true, onBytes: take })
    // Whoever still writes to it must not wait for a reader that is gone.
    input.resume()
    transport.onclose?.()
  }
  const take = (chunk: Buffer): void => {
    received.append(chunk)
    for (let message = next(); message !== null; message = next()) if (message !== 'broken') transport.onmessage?.(message)
  }
  // Lines that are no messages are the server's chatter: told, and left out.
  const next = (): JSONRPCMessage | 'broken' | null => {
    try {
      return received.readMessage()
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
      return 'broken'
    }
  }
  return transport
}
