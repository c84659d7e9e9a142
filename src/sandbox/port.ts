import { connect } from 'node:net'

/** Whether something takes connections on a port of this machine. */
export function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise(settle => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: 300 })
    const answer = (listening: boolean): void => {
      socket.destroy()
      settle(listening)
    }
    socket
      .once('connect', () => answer(true))
      .once('timeout', () => answer(false))
      .once('error', () => answer(false))
  })
}
