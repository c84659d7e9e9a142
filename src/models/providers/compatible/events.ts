import { StringDecoder } from 'node:string_decoder'

/** The data of each server-sent event, in order. An event that was not ended by an empty line does not count. */
export async function* eventData(chunks: AsyncIterable<Buffer>): AsyncIterable<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let data: string[] = []
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line
      if (text === '') {
        if (data.length > 0) yield data.join('\n')
        data = []
      } else if (text.startsWith('data:')) data.push(text.slice(text[5] === ' ' ? 6 : 5))
      // llama.cpp has told errors in a field of their own.
      else if (text.startsWith('error: {')) yield `{"error":${text.slice(7)}}`
    }
  }
}
