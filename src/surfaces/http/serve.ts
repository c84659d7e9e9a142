import { readFileSync } from 'node:fs'
import type { App } from '../../app.ts'
import { timestamp } from '../../kernel/clock.ts'
import { NotFound, Usage } from '../../kernel/errors.ts'
import { version } from '../../kernel/version.ts'
import type { Catalogue } from '../../operations/operation.ts'
import { readServerFile, removeServerFile, type ServerFile, writeServerFile } from '../../project/server-file.ts'
import { isListening } from '../../sandbox/port.ts'
import { type RunningServer, startServer } from './server.ts'

export interface ServeOptions {
  port: number
  toolSet: string
  listen?: { address: string; cert?: string | undefined; key?: string | undefined } | undefined
  openApp: (root: string) => App
}

export type Serving = { kind: 'started'; server: RunningServer; stop(): Promise<void> } | { kind: 'running'; file: ServerFile }

/** Starts the server of this project, or finds the one that is running. */
export async function serve(app: App, catalogue: Catalogue, options: ServeOptions): Promise<Serving> {
  const project = app.project()
  const store = await app.projectStore()
  const present = readServerFile(project.folder)
  // The number of a dead process may belong to another program by now; an open port tells.
  if (present && (await isListening(present.port, new URL(present.url).hostname))) return { kind: 'running', file: present }
  const server = await startServer({
    app,
    catalogue,
    port: options.port,
    toolSet: options.toolSet,
    openApp: options.openApp,
    listen: certified(options.listen),
  })
  const file: ServerFile = {
    pid: process.pid,
    port: server.port,
    token: server.token,
    version,
    started_at: timestamp(app.clock),
    url: server.url,
  }
  // Under the write lock of the store: of two that start at once, the second sees the first one's file.
  const winner = store.db.transaction(() => {
    const now = readServerFile(project.folder)
    if (now && now.token !== present?.token) return now
    writeServerFile(project.folder, file)
    store.log.append('project', 'server.started', { pid: process.pid, port: server.port })
    return file
  })
  if (winner !== file) {
    await server.close()
    return { kind: 'running', file: winner }
  }
  const stop = async (): Promise<void> => {
    removeServerFile(project.folder, process.pid)
    await server.close()
    store.log.append('project', 'server.stopped', { pid: process.pid })
  }
  return { kind: 'started', server, stop }
}

function certified(listen: ServeOptions['listen']): { address: string; cert: string; key: string } | undefined {
  if (!listen) return undefined
  if (!listen.cert || !listen.key) throw new Usage('--listen opens QED to other machines and needs --tls-cert and --tls-key.')
  return { address: listen.address, cert: readPem(listen.cert), key: readPem(listen.key) }
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new NotFound(`${path} cannot be read.`, { cause, details: { path } })
  }
}
