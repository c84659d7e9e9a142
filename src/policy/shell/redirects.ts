import type { Redirection } from 'unbash'
import type { Flag } from '../types.ts'
import type { HostUse, PathUse, Stdin } from './judgement.ts'
import type { SegmentRedirect } from './reading.ts'
import { shown, type Word } from './word.ts'
import { readBody, resolveWord, type WordScope } from './words.ts'

/** What the redirections of one command do. */
export interface Redirects {
  shown: SegmentRedirect[]
  paths: PathUse[]
  hosts: HostUse[]
  flags: Flag[]
  /** What they make of the standard input, if anything. */
  stdin: Stdin | null
  hasDynamicTarget: boolean
}

const SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)/
const HARMLESS_DEVICE = /^\/dev\/(?:null|stdout|stderr|fd\/[0-2])$/
const DESCRIPTOR = /^(?:\d+-?|-)$/

export function readRedirects(nodes: readonly Redirection[], scope: WordScope): Redirects {
  const found: Redirects = { shown: [], paths: [], hosts: [], flags: [], stdin: null, hasDynamicTarget: false }
  for (const node of nodes) {
    if (node.descriptor?.type === 'FileDescriptorVariable') scope.foundUnknown('descriptor in a variable')
    const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : null
    const isInput = descriptor === null || descriptor === 0
    if (node.type === 'HereDoc') {
      if (node.closing === undefined) scope.foundUnknown('here-document without an end')
      const isDynamic = node.delimiter?.quoted !== true && node.body.parts !== undefined && readBody(node.body.parts, scope)
      if (isInput) found.stdin = { kind: 'text', text: isDynamic ? null : node.body.text }
      found.shown.push({ operator: node.operator, descriptor, target: { text: node.delimiter?.value ?? '', kind: 'static' } })
      continue
    }
    if (node.target === undefined) {
      scope.foundUnknown('redirection without a target')
      continue
    }
    const words = resolveWord(node.target, scope)
    for (const word of words) {
      found.shown.push({ operator: node.operator, descriptor, target: shown(word) })
      if (node.type === 'HereString') {
        if (isInput) found.stdin = { kind: 'text', text: word.kind === 'static' ? word.text : null }
      } else readTarget(node.operator, word, isInput, found)
    }
  }
  return found
}

function readTarget(operator: string, word: Word, isInput: boolean, found: Redirects): void {
  if ((operator === '>&' || operator === '<&') && word.kind === 'static' && DESCRIPTOR.test(word.text)) return
  const reads = operator === '<' || operator === '<&'
  if (isInput && (reads || operator === '<>'))
    found.stdin = word.pipe ? { kind: 'pipe', network: false, listing: null } : { kind: 'file', word }
  if (word.pipe) return
  if (word.kind === 'dynamic') {
    found.hasDynamicTarget = true
    return
  }
  const socket = SOCKET.exec(word.text)
  if (socket) found.hosts.push({ host: `${socket[1]}:${socket[2]}`, verb: reads ? 'net.get' : 'net.send' })
  else if (!HARMLESS_DEVICE.test(word.text)) found.paths.push({ word, access: reads ? 'read' : 'create' })
}
