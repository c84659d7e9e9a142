import type { Assertion } from './assertions.ts'

interface ToleranceForm {
  form: RegExp
  /** What a wider tolerance looks like. */
  wider: 'bigger' | 'smaller'
  /** Where nothing is said. */
  standard?: number
}

const NUMBER = '(?<tolerance>-?[\\d._]+(?:[eE][-+]?\\d+)?)'

/** Where assertions say how far off a value may be. */
const FORMS: readonly ToleranceForm[] = [
  { form: new RegExp(`toBeCloseTo\\([^,()]{1,80}(?:, ?${NUMBER})?\\)`), wider: 'smaller', standard: 2 },
  { form: new RegExp(`\\bplaces ?= ?${NUMBER}`), wider: 'smaller' },
  {
    form: new RegExp(`\\b(?:delta|rel|abs|rtol|atol|rel_tol|abs_tol|tolerance|epsilon|within|precision) ?[=:] ?${NUMBER}`),
    wider: 'bigger',
  },
  {
    form: new RegExp(
      `(?:(?<!toBe)closeTo|approximately|InDelta|InEpsilon|assert_in_delta|be_within|within|offset|assert_relative_eq!|assert_abs_diff_eq!)\\(.*?${NUMBER}\\)`,
      'i',
    ),
    wider: 'bigger',
  },
  { form: new RegExp(`\\babs(?:\\(.*\\)|\\(\\)) ?(?:<=?|>=?) ?${NUMBER}`, 'i'), wider: 'bigger' },
  { form: new RegExp(`^(?:Assert\\.)?(?:assertEquals|AreEqual|Equal)\\(.*, ?.*, ?${NUMBER}[fdFD]?\\)`), wider: 'bigger' },
]

/** Whether two assertions differ in nothing but a tolerance, and the second allows more. */
export function isWidened(before: Pick<Assertion, 'text'>, after: Pick<Assertion, 'text'>): boolean {
  return FORMS.some(row => {
    const [was, is] = [read(row, before.text), read(row, after.text)]
    if (!was || !is || was.rest !== is.rest) return false
    return row.wider === 'bigger' ? is.value > was.value : is.value < was.value
  })
}

function read({ form, standard }: ToleranceForm, text: string): { value: number; rest: string } | null {
  const found = form.exec(text)
  const written = found?.groups?.['tolerance']
  const value = written === undefined ? standard : Number(written.replaceAll('_', ''))
  if (!found || value === undefined || Number.isNaN(value)) return null
  return {
    value,
    rest: text.replace(
      found[0],
      written === undefined ? found[0] : found[0].replace(new RegExp(`,? ?${escaped(written)}(?=[^\\d]*$)`), ''),
    ),
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
