import type { Edit } from '../facts.ts'

/** Ordinary work in JavaScript and TypeScript. Nothing here may be refused. */
export const SCRIPT: Record<string, Edit> = {
  'a new function with its test': {
    'src/slug.ts': [
      null,
      `import { normalise } from './normalise.ts'

/** A name for a URL. Throws on an empty title. */
export function slug(title: string, { limit = 80 }: { limit?: number } = {}): string {
  if (title.trim() === '') throw new RangeError('a title is needed')
  const words = normalise(title).split(/[^a-z0-9]+/).filter(Boolean)
  return words.join('-').slice(0, limit).replace(/-$/, '')
}
`,
    ],
    'test/slug.test.ts': [
      null,
      `import { describe, expect, test } from 'vitest'
import { slug } from '../src/slug.ts'

describe('slug', () => {
  test.each([
    ['Hello World', 'hello-world'],
    ["it's only a test", 'it-s-only-a-test'],
  ])('%s becomes %s', (title, expected) => {
    expect(slug(title)).toBe(expected)
  })

  test('an empty title is refused', () => {
    expect(() => slug(' ')).toThrow('a title is needed')
  })

  test('skips nothing but the end of a long title', async () => {
    const long = 'word '.repeat(100)
    expect(slug(long).length).toBeLessThanOrEqual(80)
    expect(slug(long)).toMatch(/^word-/)
  })
})
`,
    ],
  },
  'a rename through code and tests': {
    'src/cart.js': [
      'export function calcTotal(items) {\n  let sum = 0\n  for (const item of items) {\n    sum += item.price * item.count\n  }\n  return sum\n}\n',
      'export function totalOf(items) {\n  return items.reduce((sum, { price, count }) => sum + price * count, 0)\n}\n',
    ],
    'test/cart.test.js': [
      "import { calcTotal } from '../src/cart.js'\n\nit('adds prices', () => {\n  const total = calcTotal([{ price: 2, count: 3 }])\n  expect(total).toBe(6)\n  expect(calcTotal([])).toBe(0)\n})\n",
      "import { totalOf } from '../src/cart.js'\n\nit('adds prices', () => {\n  const sum = totalOf([{ price: 2, count: 3 }])\n  expect(sum).toBe(6)\n  expect(totalOf([])).toBe(0)\n})\n",
    ],
  },
  'tests grouped and moved to a table': {
    'test/parse.test.ts': [
      "test('parses 1', () => {\n  expect(parse('1')).toEqual([1])\n})\n\ntest('parses 2', () => {\n  expect(parse('1,2')).toEqual([1, 2])\n})\n",
      "describe('parse', () => {\n  test('parses 1', () => {\n    expect(parse('1')).toEqual([1])\n  })\n\n  test('parses 2', () => {\n    expect(parse('1,2')).toEqual([1, 2])\n  })\n\n  test.each(['', ' '])('refuses %j', text => {\n    expect(() => parse(text)).toThrow(ParseFailed)\n  })\n})\n",
    ],
  },
  'callbacks made async': {
    'src/load.ts': [
      'export function load(path: string, done: (error: Error | null, text?: string) => void) {\n  readFile(path, "utf8", done)\n}\n',
      'export async function load(path: string): Promise<string> {\n  return await readFile(path, "utf8")\n}\n',
    ],
    'test/load.test.ts': [
      "it('loads', done => {\n  load('a', (error, text) => {\n    expect(error).toBeNull()\n    expect(text).toBe('x')\n    done()\n  })\n})\n",
      "it('loads', async () => {\n  await expect(load('a')).resolves.toBe('x')\n  await expect(load('missing')).rejects.toThrow('ENOENT')\n})\n",
    ],
  },
  'a component with text that speaks of skipping': {
    'src/Steps.tsx': [
      'export const Steps = () => <ol><li>One</li></ol>\n',
      `import type { ReactNode } from 'react'

interface Props {
  skip: boolean
  only?: string
  children: ReactNode
}

export function Steps({ skip, only, children }: Props) {
  if (skip) return null
  return (
    <ol className="steps" data-only={only}>
      {/* the first step can't be skipped */}
      <li onClick={() => start({ skip: true })}>Don't skip: it.only( works {only ?? 'everywhere'}</li>
      {children}
    </ol>
  )
}
`,
    ],
    'src/Steps.test.tsx': [
      "it('shows one', () => {\n  render(<Steps />)\n  expect(screen.getByText('One')).toBeVisible()\n})\n",
      "it('shows one', () => {\n  render(<Steps skip={false}><li>One</li></Steps>)\n  expect(screen.getByText('One')).toBeVisible()\n})\n\nit('shows nothing when skipped', () => {\n  const { container } = render(<Steps skip>x</Steps>)\n  expect(container).toBeEmptyDOMElement()\n})\n",
    ],
  },
  'a lookup table with tests of some rows': {
    'src/status.ts': [
      null,
      "const TEXTS: Record<number, string> = { 200: 'OK', 201: 'Created', 404: 'Not Found', 500: 'Server Error' }\n\nexport function statusText(code: number): string {\n  return TEXTS[code] ?? 'Unknown'\n}\n",
    ],
    'test/status.test.ts': [
      null,
      "test('known codes', () => {\n  expect(statusText(200)).toBe('OK')\n  expect(statusText(404)).toBe('Not Found')\n  expect(statusText(1)).toBe('Unknown')\n})\n",
    ],
  },
  'settings read from the environment': {
    'src/config.ts': [
      'export const level = "info"\n',
      "const { NODE_ENV = 'development', LOG_LEVEL } = process.env\nexport const level = LOG_LEVEL ?? (NODE_ENV === 'production' ? 'warn' : 'debug')\nexport const token = process.env['API_TOKEN']\n",
    ],
  },
}
