import { describe, expect, test } from 'vitest'
import { askPrompt, askText, readAnswer, rulesText } from '../../src/operations/approval-words.ts'
import type { Approval } from '../../src/runs/approval.ts'

type Rule = NonNullable<Approval['offers'][number]['rules']>[number]
const FILE = '.qed/policy.local.json'
const rule = (given: object): Rule => ({ id: 'remembered-1', effect: 'allow', match: ['m'], not_match: ['n'], ...given })
const kept = (rules: Rule[], more: object = {}): Approval['offers'] => [
  { answer: 'run', rules, ...more },
  { answer: 'project', rules, file: FILE, ...more },
]
const asked = (offers: Approval['offers']): Approval =>
  ({
    tool: 'bash',
    operation: { command: 'npm test -- a' },
    asked: 'commands need an answer',
    rule: 'defaults/shell',
    walls: '',
    preview: null,
    offers: [{ answer: 'once' }, ...offers, { answer: 'reject' }],
  }) as unknown as Approval

const exact = rule({ category: 'shell', command: 'npm test -- a' })
const wide = rule({ category: 'shell', command: 'npm test **' })

describe('a question at the terminal', () => {
  test('says in words what would be allowed from now on, and shows no rule', () => {
    const text = askPrompt(asked([...kept([exact]), ...kept([wide], { would_newly_allow: ['npm test -- b'] })]))
    expect(text).toBe(
      [
        'bash npm test -- a',
        '  why: commands need an answer (defaults/shell)',
        `  r, p: allowed from now on, in this run or in this project (${FILE}):`,
        '    the command npm test -- a, exactly as it stands',
        '  R, P: allowed from now on, which would also have let through npm test -- b:',
        '    every command that begins with npm test',
        'Allow it? [o]nce, for this [r]un, always in this [p]roject (R, P: the wider rule), [?] the exact rules, [N]o: ',
      ].join('\n'),
    )
  })

  test('is broken at words where the screen is narrow', () => {
    const rows = askPrompt(asked([...kept([exact]), ...kept([wide])]), 40).split('\n')
    expect(rows.filter(row => row.length > 40)).toEqual([])
    expect(rows).toContain('Allow it? [o]nce, for this [r]un,')
  })

  test('offers no rule where none can be kept', () => {
    expect(askPrompt(asked([]))).toMatch(/\(defaults\/shell\)\nAllow it\? \[o\]nce, \[N\]o: $/)
  })

  test.each([
    [{ category: 'edit', path: 'src/a[*].ts' }, 'changing src/a*.ts'],
    [{ category: 'read', path: 'a.txt' }, 'reading a.txt'],
    [
      { category: 'git', command: { argv: ['git', 'commit', '-m', 'two words'] } },
      "the command git commit -m 'two words', exactly as it stands",
    ],
    [{ category: 'network', host: 'example.com', verb: 'net.get' }, 'fetching from example.com'],
    [{ category: 'network', host: 'example.com', verb: 'net.send' }, 'sending to example.com'],
    [{ category: 'provider-tool', tool: 'files.search' }, 'the tool files.search, with any arguments'],
    [{ category: 'memory', verb: 'memory.save' }, 'saving to the memory'],
  ])('%o is %s', (given, words) => {
    expect(askText(asked(kept([rule(given)])))).toMatch(new RegExp(`\n    ${words.replace(/[.*]/g, '\\$&')}$`))
  })

  test('shows what is no word of ours as it stands', () => {
    const other = rule({ category: 'shell', secret: 'X' })
    expect(askText(asked(kept([other])))).toContain(JSON.stringify(other))
  })

  test('gives the exact rules to whoever asks for them with ?', () => {
    expect(readAnswer(' ? ')).toEqual({ wants: 'rules' })
    expect(rulesText(asked([...kept([exact]), ...kept([wide])]))).toBe(
      [`r, p (${FILE}):`, `  ${JSON.stringify(exact)}`, `R, P (${FILE}):`, `  ${JSON.stringify(wide)}`].join('\n'),
    )
  })
})

test('whatever is no yes and no question is a no, with its reason', () => {
  expect([readAnswer('o'), readAnswer('P'), readAnswer('n: other file'), readAnswer('')]).toEqual([
    { allowed: true, remember: 'once', wider: false },
    { allowed: true, remember: 'project', wider: true },
    { allowed: false, reason: 'other file' },
    { allowed: false, reason: '' },
  ])
})
