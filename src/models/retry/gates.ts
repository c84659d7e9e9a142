/** One way to a model provider: so many requests at once, and none while it asks to be left alone. */
interface Gate {
  inFlight: number
  waiting: (() => void)[]
  closedUntil: number
}

export interface Gates {
  /** Waits for a place; the answer gives it back. Rejects with the signal's reason when aborted meanwhile. */
  enter: (name: string, signal?: AbortSignal) => Promise<() => void>
  /** Nobody is sent through before this time, so that parallel runs do not knock in step. */
  close: (name: string, until: number) => void
  closedUntil: (name: string) => number
}

export function createGates(atOnce = 4): Gates {
  const gates = new Map<string, Gate>()
  const gateOf = (name: string): Gate => {
    const gate = gates.get(name) ?? { inFlight: 0, waiting: [], closedUntil: 0 }
    gates.set(name, gate)
    return gate
  }
  return {
    enter: async (name, signal) => {
      const gate = gateOf(name)
      if (gate.inFlight >= atOnce) await waitFor(gate, signal)
      gate.inFlight++
      let left = false
      return () => {
        if (left) return
        left = true
        gate.inFlight--
        gate.waiting.shift()?.()
      }
    },
    close: (name, until) => {
      const gate = gateOf(name)
      gate.closedUntil = Math.max(gate.closedUntil, until)
    },
    closedUntil: name => gateOf(name).closedUntil,
  }
}

function waitFor(gate: Gate, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const stop = (): void => {
      gate.waiting = gate.waiting.filter(other => other !== go)
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
    }
    if (signal?.aborted) return stop()
    gate.waiting.push(go)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
