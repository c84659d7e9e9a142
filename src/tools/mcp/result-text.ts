import { isPlainObject } from '../../kernel/json.ts'

/** What a server gave, as text. Bytes are named, not shown: a model cannot read them here. */
export function resultText({ content, structuredContent }: { content?: unknown; structuredContent?: unknown }): string {
  const parts = (Array.isArray(content) ? content : []).map(partText).filter(text => text !== '')
  if (parts.length > 0) return parts.join('\n')
  return structuredContent === undefined ? 'It gave nothing back.' : JSON.stringify(structuredContent)
}

function partText(part: unknown): string {
  if (!isPlainObject(part)) return ''
  const { type, text, data, mimeType, resource, uri, name } = part
  switch (type) {
    case 'text':
      return textOf(text)
    case 'image':
    case 'audio':
      return bytesText(type, mimeType, data)
    case 'resource_link':
      return `[${textOf(name)}: ${textOf(uri)}]`
    case 'resource':
      return isPlainObject(resource) ? resourceText(resource) : ''
    default:
      return `[${String(type)} left out]`
  }
}

function resourceText({ uri, text, blob, mimeType }: Record<string, unknown>): string {
  return typeof text === 'string' ? `[${textOf(uri)}]\n${text}` : `[${textOf(uri)}]\n${bytesText('file', mimeType, blob)}`
}

function bytesText(what: string, type: unknown, base64: unknown): string {
  return `[${what} ${textOf(type)}, ${Math.floor((textOf(base64).length * 3) / 4)} bytes, left out]`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
