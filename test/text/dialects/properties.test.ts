import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import { ReplyParser } from '../../../src/text/dialects/reply-parser.ts'
import { DIALECTS, type ParsedReply, type ParseOptions } from '../../../src/text/dialects/types.ts'
import { anyReply, foreignBody, PIECES, runs } from './fragments.ts'

type Parse = (text: string, options?: ParseOptions) => ParsedReply

const fixtures = join(import.meta.dirname, '../../fixtures/bodies')

/** The body of the only call, if there is exactly one and nothing else. */
function onlyBody(parsed: ParsedReply): unknown {
  const [call] = parsed.calls
  return parsed.calls.length === 1 && parsed.rejected.length === 0 && parsed.text === '' ? call?.arguments['body'] : undefined
}

const survives = (parse: Parse) => fc.property(foreignBody, body => onlyBody(parse(`<set path="f">${body}</set>`)) === body)

const survivesUntil = (parse: Parse) =>
  fc.property(anyReply, body => {
    fc.pre(!body.includes('@END</set>'))
    return onlyBody(parse(`<set path="f" until="@END">${body}@END</set>`)) === body
  })

const survivesNesting = (parse: Parse) =>
  fc.property(foreignBody, foreignBody, (outer, inner) => {
    const body = `${outer}\n<set path="x">${inner}</set>\n`
    return onlyBody(parse(`<set path="f">${body}</set>`)) === body
  })

const sameInChunks = (read: (chunks: string[], options: ParseOptions) => ParsedReply) =>
  fc.property(anyReply, fc.array(fc.nat(200), { maxLength: 30 }), fc.constantFrom(...DIALECTS), (reply, cuts, dialect) => {
    const at = [0, ...cuts.map(cut => Math.min(cut, reply.length)).sort((a, b) => a - b), reply.length]
    const chunks = at.slice(1).map((end, index) => reply.slice(at[index], end))
    expect(read(chunks, { dialect })).toEqual(parseReply(reply, { dialect }))
  })

const neverThinksAloud = (parse: Parse) =>
  fc.property(foreignBody, thought => {
    fc.pre(!/<\/think>/i.test(thought))
    const parsed = parse(`<think>${thought}</think>\n<get path="only"/>`)
    expect(parsed.calls.map(call => call.arguments)).toEqual([{ path: 'only' }])
    expect([parsed.rejected, parsed.text]).toEqual([[], ''])
  })

const neverRunsExamples = (parse: Parse) =>
  fc.property(foreignBody, example => {
    fc.pre(!/^ {0,3}`{3,}\s*$/m.test(example))
    const parsed = parse(`Look:\n\`\`\`js\n${example}\n\`\`\``)
    return parsed.calls.length === 0 && parsed.rejected.length === 0
  })

const isSound = (parse: Parse) =>
  fc.property(anyReply, fc.constantFrom(...DIALECTS), fc.boolean(), (reply, dialect, given) => {
    const parsed = parse(reply, { dialect, ...(given && { tools: [{ name: 'get', effect: 'read' as const }, { name: 'set' }] }) })
    const all = [...parsed.calls, ...parsed.rejected]
    for (const { span } of all) expect(0 <= span[0] && span[0] < span[1] && span[1] <= reply.length).toBe(true)
    for (const list of [parsed.calls, parsed.rejected])
      expect(list.map(call => call.span[0])).toEqual(list.map(call => call.span[0]).sort((a, b) => a - b))
    expect(new Set(all.map(call => call.id)).size).toBe(all.length)
    expect(JSON.parse(JSON.stringify(parsed))).toEqual(parsed)
    if (dialect === 'none') expect(all).toEqual([])
  })

/** `holds`, or the counterexample. */
function tried<Ts>(property: fc.IProperty<Ts>): string {
  const details = fc.check(property, runs)
  return details.failed ? (fc.defaultReportMessage(details) ?? 'failed') : 'holds'
}

describe('properties', () => {
  test('D-13 a body without its own tag arrives byte for byte', () => {
    expect(tried(survives(parseReply))).toBe('holds')
  })

  test('D-14 any body arrives byte for byte with until', () => {
    expect(tried(survivesUntil(parseReply))).toBe('holds')
  })

  test('D-15 a body with a balanced tag of its own arrives byte for byte', () => {
    expect(tried(survivesNesting(parseReply))).toBe('holds')
  })

  test('D-40 the result does not depend on how a reply is cut', () => {
    const inChunks = (chunks: string[], options: ParseOptions): ParsedReply => {
      const parser = new ReplyParser(options)
      for (const chunk of chunks) parser.push(chunk)
      return parser.end()
    }
    expect(tried(sameInChunks(inChunks))).toBe('holds')
  })

  test('D-24 nothing that is thought becomes a call', () => {
    expect(tried(neverThinksAloud(parseReply))).toBe('holds')
  })

  test('D-28 nothing in an example becomes a call', () => {
    expect(tried(neverRunsExamples(parseReply))).toBe('holds')
  })

  test('D-3 any reply has a sound answer', () => {
    expect(tried(isSound(parseReply))).toBe('holds')
  })

  test('D-3 random characters never throw', () => {
    const property = fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (text, bytes) => {
      parseReply(text)
      parseReply(new TextDecoder('latin1').decode(bytes))
    })
    expect(tried(property)).toBe('holds')
  })

  test('D-3 every cut of every piece has an answer', () => {
    const cuts = PIECES.flatMap(piece => Array.from({ length: piece.length + 1 }, (_, end) => piece.slice(0, end)))
    expect(cuts.map(cut => parseReply(cut, { tools: [{ name: 'get' }] })).filter(parsed => parsed.calls.length > 1)).toEqual([])
  })

  test('D-13 every fixture arrives byte for byte', () => {
    const names = readdirSync(fixtures)
    expect(names.length).toBeGreaterThan(12)
    for (const name of names) {
      const body = readFileSync(join(fixtures, name), 'utf8')
      expect([name, onlyBody(parseReply(`<set path="f">${body}</set>`))]).toEqual([name, body])
    }
  })
})

/** Copies of the parser with one rule broken. A property that cannot fail proves nothing. */
describe('properties can fail', () => {
  const withBodies =
    (change: (body: string) => string): Parse =>
    (text, options) => {
      const parsed = parseReply(text, options)
      for (const call of parsed.calls)
        if (typeof call.arguments['body'] === 'string') call.arguments['body'] = change(call.arguments['body'])
      return parsed
    }

  test('D-13 a parser that trims bodies is caught', () => {
    expect(tried(survives(withBodies(body => body.trim())))).not.toBe('holds')
  })

  test('D-13 a parser that decodes entities is caught', () => {
    expect(tried(survives(withBodies(body => body.replaceAll('&amp;', '&'))))).not.toBe('holds')
  })

  test('D-14 a parser that ends a body at its first closing is caught', () => {
    expect(tried(survivesNesting(withBodies(body => body.split('</set>')[0] ?? '')))).not.toBe('holds')
  })

  test('D-40 a parser that reads each chunk alone is caught', () => {
    const alone = (chunks: string[], options: ParseOptions): ParsedReply => {
      const parts = chunks.map(chunk => parseReply(chunk, options))
      return {
        calls: parts.flatMap(part => part.calls),
        rejected: parts.flatMap(part => part.rejected),
        text: parts.map(part => part.text).join(''),
        warnings: parts.flatMap(part => part.warnings),
      }
    }
    expect(tried(sameInChunks(alone))).not.toBe('holds')
  })

  test('D-24 a parser that only removes the thinking tags is caught', () => {
    expect(tried(neverThinksAloud(text => parseReply(text.replace(/<\/?think>/g, ''))))).not.toBe('holds')
  })

  test('D-28 a parser that knows no fences is caught', () => {
    expect(tried(neverRunsExamples(text => parseReply(text.replaceAll('```', ''))))).not.toBe('holds')
  })
})
