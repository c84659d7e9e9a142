import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { functionsOf } from '../../../src/proof/source/functions.ts'
import type { Language } from '../../../src/proof/source/language.ts'
import { diffLines } from '../../../src/proof/source/line-diff.ts'
import { Source } from '../../../src/proof/source/source.ts'
import { testBlocks } from '../../../src/proof/source/test-blocks.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 14 })

/** The longest common subsequence, by the plain table. */
function common(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0))
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i]![j] = a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!)
  return table[a.length]![b.length]!
}

test('a line diff takes away and adds as few lines as can be, and what stays is the same on both sides', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const { removed, added } = diffLines(before, after)
      const stays = before.filter((_, i) => !removed.includes(i))
      expect(stays).toEqual(after.filter((_, i) => !added.includes(i)))
      expect(stays).toHaveLength(common(before, after))
    }),
    { numRuns: 1000 },
  )
})

test('texts that have nothing in common are one hunk, and lines that both have are neither removed nor added', () => {
  const before = Array.from({ length: 5000 }, (_, i) => `old ${i}`)
  const after = Array.from({ length: 5000 }, (_, i) => (i === 2500 ? 'old 7' : `new ${i}`))
  const { hunks, added, removed } = diffLines(before, after)
  expect([hunks.length, added.length, removed.length]).toEqual([1, 4999, 4999])
})

const TITLES: [Language, string, string[]][] = [
  [
    'typescript',
    `describe('group', () => {
      it('adds', () => {})
      test("it's 2", async () => {})
      it.each([[1, 2]])('each %s', () => {})
      test.each\`a\`(\`tpl\`, () => {})
      it.skip('later', () => {})
      test(name, () => {})
      /x/.test('no'); orbit('no'); // it('no')
    })`,
    ['adds', "it's 2", 'each %s', 'tpl', 'later', 'name'],
  ],
  ['python', 'class TestX:\n  def test_a(self):\n    pass\n\n  async def test_b(self): pass\n\ndef helper(): pass\n', ['test_a', 'test_b']],
  [
    'go',
    'func TestMain(m *testing.M) {}\nfunc TestA(t *testing.T) {\n\tt.Run("sub", func(t *testing.T) {})\n}\nfunc (s *S) TestB() {}\n',
    ['TestA', 'sub', 'TestB'],
  ],
  ['rust', '#[test]\n#[should_panic]\nfn a() {}\n#[tokio::test]\nasync fn b() {}\nfn c() {}\n', ['a', 'b']],
  [
    'java',
    '@Test\n@DisplayName("x")\npublic void adds() throws Exception { }\n@ParameterizedTest\n@ValueSource(ints = {1})\nvoid many(int x) { }\nvoid helper() { }',
    ['adds', 'many'],
  ],
  ['kotlin', "@Test\nfun `it's ok`() { }\n@Test fun b() { }", ["it's ok", 'b']],
  ['csharp', '[Fact]\npublic async Task Adds() { }\n[Theory]\n[InlineData(1)]\npublic void Many(int x) { }', ['Adds', 'Many']],
  ['ruby', 'describe "x" do\n  it "adds" do\n    y\n  end\n  it \'subs\' do\n  end\nend\ndef test_z\nend\n', ['adds', 'subs', 'test_z']],
  [
    'php',
    "<?php\nclass T { public function testA() { }\n #[Test]\n public function b() { } }\nit('pest', function () { });",
    ['testA', 'b', 'pest'],
  ],
  ['bats', '@test "adds" {\n  run x\n}\nhelper() {\n  :\n}\n', ['adds']],
]

test.each(TITLES)('the tests of %s are known by their titles', (language, text, expected) => {
  expect(testBlocks(new Source(text, language)).map(block => block.title)).toEqual(expected)
})

const FUNCTIONS: [Language, string, string[]][] = [
  [
    'typescript',
    'export function a<T>(x: T): void { }\nconst b = async (y: number): Promise<void> => { }\nclass C {\n  c(): string { }\n  static async d() { }\n}\nif (x) { }\nconst e = { f: 1 }',
    ['a', 'b', 'c', 'd'],
  ],
  ['python', 'def a(x: int = 1) -> dict[str, int]:\n  return x\nclass B:\n  def c(self): pass\n', ['a', 'c']],
  ['go', 'func A(x int) (int, error) {\n}\nfunc (s *S) B() {\n}\n', ['A', 'B']],
  ['rust', "pub fn a<'a>(x: &'a str) -> Result<(), E> where E: X { }\nfn b();\n", ['a']],
  ['java', 'class A { public int b(int x) throws E { return x; }\n abstract int c();\n void d() { if (x) { } } }', ['b', 'd']],
  ['shell', 'a() {\n :\n}\nfunction b() {\n :\n}\n', ['a', 'b']],
]

test.each(FUNCTIONS)('the functions of %s are found', (language, text, expected) => {
  expect(functionsOf(new Source(text, language)).map(({ name }) => name)).toEqual(expected)
})
