import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { findLocalModels } from '../../src/models/local/find-local.ts'

async function serverAt(answer: RequestListener): Promise<number> {
  const server: Server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
const find = (port: number) => findLocalModels([{ provider: 'ollama', title: 'Ollama', port }])

test('a server on this machine is found by its list of models', async () => {
  const asked: (string | undefined)[] = []
  const port = await serverAt((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'qwen3:8b' }, { id: 'llama3' }, { no: 'id' }] }))
  })
  expect(await find(port)).toEqual([{ server: { provider: 'ollama', title: 'Ollama', port }, models: ['qwen3:8b', 'llama3'] }])
  expect(asked).toEqual(['GET /v1/models undefined'])
})

test.each<[string, RequestListener]>([
  ['answers with a page', (_, response) => response.end('<html>')],
  ['answers with other JSON', (_, response) => response.end('{"ok":true}')],
  ['refuses', (_, response) => response.writeHead(401).end('{"data":[]}')],
  ['leads elsewhere', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['never answers', () => undefined],
])('what %s is no model server', async (_, answer) => {
  expect(await find(await serverAt(answer))).toEqual([])
})

test('where nothing listens nothing is found', async () => {
  expect(await find(1)).toEqual([])
})
