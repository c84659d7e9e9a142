import { isPlainObject, parseJson } from '../../kernel/json.ts'
import { LOCAL_SERVERS, type LocalServer } from '../resolve/providers.ts'

const PATIENCE_MS = 200
const MOST_BYTES = 1 << 20

export interface LocalModels {
  server: LocalServer
  models: string[]
}

/** Model servers on this machine, found by asking each usual port for its models. One that does not answer in time, or answers
 *  with something else, is not there. Never rejects. */
export async function findLocalModels(servers: readonly LocalServer[] = LOCAL_SERVERS): Promise<LocalModels[]> {
  const found = await Promise.all(servers.map(async server => ({ server, models: await modelsAt(server.port) })))
  return found.flatMap(({ server, models }) => (models === null ? [] : [{ server, models }]))
}

async function modelsAt(port: number): Promise<string[] | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/models`, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' })
    if (!response.ok || Number(response.headers.get('content-length') ?? 0) > MOST_BYTES) return null
    return readModels(parseJson(await response.text()))
  } catch {
    return null
  }
}

/** The names in an answer of `GET /v1/models`; null where it is no such answer. */
function readModels(answer: unknown): string[] | null {
  if (!isPlainObject(answer) || !Array.isArray(answer['data'])) return null
  return answer['data'].flatMap((row: unknown) =>
    isPlainObject(row) && typeof row['id'] === 'string' && row['id'] !== '' ? [row['id']] : [],
  )
}
