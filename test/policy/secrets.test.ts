import { describe, expect, test } from 'vitest'
import { findSecrets, redactJson, redactText } from '../../src/policy/secrets/redact.ts'
import { secretRules } from '../../src/policy/secrets/rules.ts'

describe.each(secretRules.map(rule => [rule.id, rule] as const))('%s', (id, rule) => {
  test.each(rule.hits.map(parts => [parts.join('')]))('finds its example %#', text => {
    expect(findSecrets(`before ${text} after`).map(range => range.rule)).toContain(id)
    expect(redactText(text)).toContain(`[redacted:${id}]`)
  })

  test.each(rule.misses.map(text => [text]))('leaves %j alone', text => {
    expect(findSecrets(text, [rule])).toEqual([])
  })
})

test('secrets are taken out of every string of a value, keys included, and nothing else changes', () => {
  const secret = ['ghp_', 'a'.repeat(36)].join('')
  expect(redactJson({ list: [`x ${secret} y`], [secret]: { n: 1, ok: true, none: null } })).toEqual({
    list: ['x [redacted:github-token] y'],
    '[redacted:github-token]': { n: 1, ok: true, none: null },
  })
})

test('hashes, UUIDs and lock file lines are no secrets', () => {
  const ordinary = [
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    '0b7e2a3c-9d1f-4a55-8f7e-0d2b6c1a9e33',
    '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
    'prj_01M7G1T9VP3KJYMD5R0TY6SEK2',
  ]
  expect(ordinary.flatMap(text => findSecrets(text))).toEqual([])
})
