import { expect, test } from 'vitest'
import { rebuildLoop } from '../../../src/runs/rebuild.ts'
import { chainDigest } from '../../../src/runs/recorder.ts'
import { done, goOn, working } from '../../support/working.ts'

const TOKEN = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

test('L-39: requests are rebuilt whatever a turn was: failed and cut, unknown, refused, or with a secret in it', async () => {
  const { work, events, blobs, read } = working({
    scripts: {
      m: {
        turns: [
          {
            calls: [
              { name: 'bash', arguments: { command: 'seq 1 3000; exit 1' } },
              { ...goOn, arguments: { status: 102, body: 'a' } },
            ],
          },
          {
            calls: [
              { name: 'nope', arguments: {} },
              { ...goOn, arguments: { status: 102, body: 'b' } },
            ],
          },
          {
            calls: [
              { name: 'read', arguments: { path: '.env' } },
              { ...goOn, arguments: { status: 102, body: 'c' } },
            ],
          },
          { text: `I use ${TOKEN}.`, calls: [{ name: 'bash', arguments: { command: `printf %s ${TOKEN} > out.txt` } }, goOn] },
          {
            calls: [
              { name: 'read', arguments: { path: 'missing.txt' } },
              { ...goOn, arguments: { status: 102, body: 'd' } },
            ],
          },
          { text: 'no call and no signal, only words'.repeat(3_000), calls: [{ ...goOn, arguments: { status: 102, body: 'e' } }] },
          { calls: [done] },
        ],
      },
    },
  })
  const ran = await work({ prompt: `Do it with ${TOKEN}.`, model: 'm', max_tokens: 900_000 })
  expect(ran.text).toBe('Done.')
  const all = await events(ran.run.id)
  const requests = all.flatMap((event, i) => (event.type === 'turn.requested' ? [{ digest: event.data['digest'], i }] : []))
  expect(requests).toHaveLength(7)
  expect(requests.map(({ i }) => chainDigest()(rebuildLoop(all.slice(0, i), blobs())?.messages ?? []))).toEqual(
    requests.map(({ digest }) => digest),
  )
  // The call ran as it was written; what is sent and kept of it holds no secret.
  expect(read('out.txt')).toBe(TOKEN)
  expect(JSON.stringify([all, rebuildLoop(all, blobs())?.messages])).not.toContain(TOKEN)
})
