// The least that can call itself an agent: fetch, three tools, and a file to which each frame is appended. No policy, no record that
// could be resumed, no walls. What QED's runs are measured beside.
import { execFile } from 'node:child_process'
import { appendFileSync, promises } from 'node:fs'
import { dirname } from 'node:path'

interface Call {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

const [url = '', log = '', prompt = ''] = process.argv.slice(2)
const tools = [
  ['read', 'Read a file', ['path']],
  ['write', 'Write a file', ['path', 'content']],
  ['bash', 'Run a command', ['command']],
].map(([name, description, keys]) => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties: Object.fromEntries([keys].flat().map(key => [key, { type: 'string' }])), required: keys },
  },
}))
const carryOut: Record<string, (input: Record<string, string>) => Promise<string>> = {
  read: ({ path = '' }) => promises.readFile(path, 'utf8'),
  write: async ({ path = '', content = '' }) => {
    await promises.mkdir(dirname(path), { recursive: true })
    await promises.writeFile(path, content)
    return 'ok'
  },
  bash: ({ command = '' }) => new Promise(resolve => execFile('/bin/bash', ['-c', command], (_error, out, err) => resolve(out + err))),
}

const messages: object[] = []
const add = (frame: object): void => {
  messages.push(frame)
  appendFileSync(log, `${JSON.stringify(frame)}\n`)
}
add({ role: 'system', content: 'You are a coding agent.' })
add({ role: 'user', content: prompt })
for (;;) {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'double', stream: true, messages, tools }),
  })
  const { text, calls } = await readReply(response)
  add({ role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls }) })
  if (calls.length === 0) break
  for (const {
    id,
    function: { name, arguments: input },
  } of calls) {
    const content = await carryOut[name]?.(JSON.parse(input) as Record<string, string>)
    add({ role: 'tool', tool_call_id: id, content })
  }
}

async function readReply(response: Response): Promise<{ text: string; calls: Call[] }> {
  let rest = ''
  let text = ''
  const calls: Call[] = []
  const decoder = new TextDecoder()
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true })
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const line = rest.slice('data: '.length, end)
      rest = rest.slice(end + 2)
      if (line === '[DONE]') continue
      const delta = (JSON.parse(line) as { choices: { delta?: { content?: string; tool_calls?: Call[] } }[] }).choices[0]?.delta
      text += delta?.content ?? ''
      calls.push(...(delta?.tool_calls ?? []))
    }
  }
  return { text, calls }
}
