import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blank } from '../../../src/proof/source/blank.ts'
import { type Language, languageOf } from '../../../src/proof/source/language.ts'

const numRuns = Number(process.env['QED_PROPERTY_RUNS'] ?? 1500)

/** Blanked text without blanks at the ends of lines, other runs of them shown as one dot. */
const shown = (text: string, language: Language): string => blank(text, language).replace(/ +$/gm, '').replace(/ {2,}/g, '.')

const ROWS: Partial<Record<Language, [text: string, blanked: string][]>> = {
  typescript: [
    ["it('skip this', run) // it.skip(", "it('.', run)"],
    ['`a ${b + `c ${d}`} e`', '`.${b + `.${d}`}.`'],
    ["`${fn('}')} skip`", "`${fn(' ')}.`"],
    ['const r = /it\\.only\\(["\'/]/g; x()', 'const r = /./g; x()'],
    ['a / b / c', 'a / b / c'],
    ['i++ / 2 // half', 'i++ / 2'],
    ['x! / y! // z', 'x! / y!'],
    ['return /[/"]/.test(x)', 'return /./.test(x)'],
    ['/* a\n b */ c', '.\n.c'],
    ["'it\\'s' + 'x\\\ny'", "'.' + ' \\\n '"],
  ],
  javascript: [
    ["return <p title='a b'>don't {f('x')} it.only(</p>", "return <p title='.'>.{f(' ')}.</p>"],
    ['a < b && c > d', 'a < b && c > d'],
    ['const f = <T,>(x: T) => x // y', 'const f = <T,>(x: T) => x'],
    ['x = <><A/> text<B b={1}>skip</B></>; y', 'x = <><A/>.<B b={1}>.</B></>; y'],
    ['#!/usr/bin/env node\nx', '.\nx'],
  ],
  python: [
    ["'''a\n'b' # c'''; d # e", "'''.\n.'''; d"],
    ['f"a {b["c"]:#x} d" # e', 'f".{b[" "]:#x}." '],
    ["rb'\\'' + f'{{x}}{y!r:>{w}}'", "rb'.' + f'.{y!r:>{w}}'"],
    ["x = 'open\ny = 1", "x = '.\ny = 1"],
  ],
  go: [['x := `raw "a" \\` + "b\\"c" + \'\\\'\' // t.Skip()', 'x := `.` + "." + \'.\' ']],
  rust: [
    ['/* a /* b */ c */ d', '.d'],
    [`r#"a "b" c"# + b"x" + 'a' + '\\'' + x::<'static>`, `r#"."# + b" " + ' ' + '.' + x::<'static>`],
    ["fn f<'a>(x: &'a str, c: char) -> bool { c == '\"' }", "fn f<'a>(x: &'a str, c: char) -> bool { c == ' ' }"],
  ],
  java: [['String s = """\n  "a" // b\n  """; char c = \'"\'; // x', 'String s = """\n.\n."""; char c = \' \'; ']],
  kotlin: [['fun `it\'s ok`() { f("a ${b("c")} d") }', 'fun `.`() { f(".${b(" ")}.") }']],
  csharp: [['var a = @"c:\\" + $"x{y:#,##0}z" + """a "b" c"""; // d', 'var a = @"." + $" {y:#,##0} " + """."""; ']],
  ruby: [
    ["it 'skips' do # skip\n x = <<~EOS\n  skip\n EOS\nend", "it '.' do.\n x = <<~EOS\n.\n EOS\nend"],
    ['%w[a [b] c] + x.match(/skip #{y}/)', '%w[.] + x.match(/./)'],
    ['=begin\nskip\n=end\nx = "a #{b "c"} d"', '.\n.\n.\nx = ".#{b " "}."'],
  ],
  php: [
    ["<p>don't</p><?php f('x'); # y\n#[Test]\n$a = <<<EOT\n skip\n EOT; ?> skip", ".<?php f(' ');.\n#[Test]\n$a = <<<EOT\n.\n EOT; ?>."],
  ],
  bats: [
    ['@test "skip it" { # skip\n run x "$(y "z" | w)"\n}', '@test "." {.\n run x "$(y " " | w)"\n}'],
    ["cat <<'EOF' | x\nskip 'it\nEOF\n[ \"$a\" = 'b' ] # c", "cat <<'EOF' | x\n.\nEOF\n[ \".\" = ' ' ] "],
    ["echo don\\'t ${#a} $((1 << b)) # c", "echo don\\'t ${#a} $((1 << b)) "],
  ],
}

describe('code with comments and string contents blanked', () => {
  for (const [language, rows] of Object.entries(ROWS) as [Language, [string, string][]][]) {
    test.each(rows)(`${language}: %s`, (text, expected) => {
      expect(shown(text, language)).toBe(expected.replace(/[ .]+$/gm, ''))
    })
  }

  const PIECES =
    '\' " ` \'\'\' """ \\ \\\n / // /* */ # #! { } ${ #{ $( ( ) [ ] {{ }} < > </ /> <a <b> </b> <? ?> <<EOF <<~EOS <<<EOT EOF EOS EOT \n \r\n r#" "# r" f" f\' @" $" %w[ =begin =end : = + a b1 é 😀 return x! i++ | \\\' \t'.split(
      ' ',
    )
  const languages = Object.keys(ROWS) as Language[]
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.constantFrom(...PIECES, ' '), { maxLength: 30 }).map(pieces => pieces.join('')),
  )
  const breaks = (of: string): string => of.replace(/[^\r\n]/g, '.')

  test.each(languages)('any text of %s keeps its length and its line breaks, and blanking it again changes nothing', language => {
    fc.assert(
      fc.property(text, of => {
        const once = blank(of, language)
        expect(breaks(once)).toBe(breaks(of))
        expect(blank(once, language)).toBe(once)
      }),
      { numRuns },
    )
  })

  test.each(languages)('a megabyte of openings in %s is read without running out of anything', language => {
    for (const piece of ['`${', '/*', '"$(', '<a>{', "f'{", '"#{', '%w[', '((<<A\n', '= /[', 'r##"', '$"{'])
      expect(blank(piece.repeat(200_000), language)).toHaveLength(piece.length * 200_000)
  })
})

test.each([
  ['src/a.ts', null, 'typescript'],
  ['src/A.TSX', null, 'javascript'],
  ['bin/run', '#!/usr/bin/env python3\n', 'python'],
  ['bin/run', '#!/bin/bash -e\n', 'shell'],
  ['Makefile', 'all:\n', null],
  ['.constructor', null, null],
  ['a.constructor', null, null],
])('the language of %s is told by its name or its first line', (path, text, expected) => {
  expect(languageOf(path, text)).toBe(expected)
})
