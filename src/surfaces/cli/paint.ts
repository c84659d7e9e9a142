import type { Paint } from '../../operations/paint.ts'
import type { Environment } from '../../project/folders.ts'

export type ColourChoice = 'auto' | 'always' | 'never'

export function isColourChoice(value: unknown): value is ColourChoice {
  return value === 'auto' || value === 'always' || value === 'never'
}

export interface Screen {
  isTerminal: boolean
  columns: number | undefined
  env: Environment
  choice: ColourChoice
  ascii: boolean
}

const plain = (text: string): string => text
const sgr =
  (open: number, close: number) =>
  (text: string): string =>
    `\x1b[${open}m${text}\x1b[${close}m`

const UNICODE = { ok: '✓', warn: '!', fail: '✗', bullet: '•', arrow: '→' }
const ASCII = { ok: '+', warn: '!', fail: 'x', bullet: '*', arrow: '->' }

export function createPaint(screen: Screen): Paint {
  const on = usesColour(screen)
  const colour = (open: number, close: number) => (on ? sgr(open, close) : plain)
  return {
    bold: colour(1, 22),
    dim: colour(2, 22),
    good: colour(32, 39),
    bad: colour(31, 39),
    careful: colour(33, 39),
    accent: colour(36, 39),
    glyph: screen.ascii || !speaksUtf8(screen.env) ? ASCII : UNICODE,
    width: Math.max(60, screen.columns ?? 100),
    home: screen.env['HOME'],
  }
}

function usesColour({ choice, env, isTerminal }: Screen): boolean {
  if (choice === 'never' || env['NO_COLOR']) return choice === 'always'
  if (choice === 'always' || (env['FORCE_COLOR'] ?? '0') !== '0') return true
  return isTerminal && env['TERM'] !== 'dumb'
}

// Without any of these names the encoding is unknown, which on today's systems means UTF-8; the C locale says otherwise.
function speaksUtf8(env: Environment): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG']
  return !locale || /utf-?8/i.test(locale) || !/^(C|POSIX)$/.test(locale)
}
