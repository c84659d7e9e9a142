import { connect } from 'node:net'

/** Whether something on this machine takes connections on a port. */
export function isListening(port: number): Promise<boolean> {
  return new Promise(settle => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 300 })
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
