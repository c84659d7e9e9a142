import { describe, expect, test } from 'vitest'
import type { EditInput } from '../../../src/text/edits/types.ts'
import { apply, block, content, patch } from './cases.ts'

type Row = [name: string, original: string | null, edit: EditInput['edit'], wanted: string | null, more?: Partial<EditInput>]

function rows(table: Row[]): void {
  test.each(table)('%s', (_, original, edit, wanted, more) => {
    expect(content(original, edit, more)).toBe(wanted)
  })
}

const FENCE = '```'

describe('which format it is', () => {
  rows([
    ['E-6 a fence around the edit is taken off', 'a\n', `${FENCE}\n${block('a', 'b')}${FENCE}\n`, 'b\n'],
    ['E-6 a fence with a language too', 'a\n', `${FENCE}diff\n@@ -1 +1 @@\n-a\n+b\n${FENCE}`, 'b\n'],
    ['E-6 a BOM before the edit is taken off', 'a\n', `\uFEFF${block('a', 'b')}`, 'b\n'],
    ['E-6 a path line that agrees is taken off', 'a\n', `src/x.js\n${block('a', 'b')}`, 'b\n', { path: 'src/x.js' }],
    ['E-6 a path line in marks and with ./ agrees too', 'a\n', `**\`./src/x.js\`**:\n${block('a', 'b')}`, 'b\n', { path: 'src/x.js' }],
    ['E-6 a path line that names another file is refused', 'a\n', `src/y.js\n${block('a', 'b')}`, '!path_mismatch', { path: 'src/x.js' }],
    ['E-6 a path line, then a fence, then the edit', 'a\n', `x.js\n${FENCE}js\n${block('a', 'b')}${FENCE}\n`, 'b\n', { path: 'x.js' }],
    ['E-6 a path line above a fenced diff', 'a\n', `x.js\n${FENCE}diff\n@@ -1 +1 @@\n-a\n+b\n${FENCE}\n`, 'b\n'],
    ['E-6 a path line and a lone tag above a block', 'a\n', `x.js\n<source>\n${block('a', 'b')}</source>\n`, 'b\n', { path: 'x.js' }],
    ['E-6 a path line and a fence that is never closed', 'a\n', `x.js\n${FENCE}js\n${block('a', 'b')}`, 'b\n', { path: 'x.js' }],
    ['E-6 a lone tag around content is content', 'a\n', '<script>\ns/a/b/\n</script>\n', '<script>\ns/a/b/\n</script>\n'],
    [
      'E-6 a fence in a fence is content',
      'a\n',
      `${FENCE}\n${FENCE}\ns/a/b/\n${FENCE}\n${FENCE}\n`,
      `${FENCE}\n${FENCE}\ns/a/b/\n${FENCE}\n${FENCE}\n`,
    ],
    ['E-6 blank lines before the opener count for nothing', 'a\n', `\n  \n${block('a', 'b')}`, 'b\n'],
    ['E-6 a forced format is not looked for elsewhere', 'a\n', block('a', 'b'), '!malformed', { format: 'udiff' }],
    ['E-6 a forced whole takes markers as content', 'a\n', block('a', 'b'), block('a', 'b'), { format: 'whole' }],
    ['E-7 an opener with more behind it is malformed', 'a\n', '<<<<<<< SEARCH>>\na\n=======\nb\n>>>>>>> REPLACE\n', '!malformed'],
    ['E-7 a patch without an end is malformed', 'a\n', '*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n', '!malformed'],
    ['E-7 an unclosed element is malformed', 'a\n', '<old_text>a</old_text><new_text>b', '!malformed'],
    ['E-7 a closer alone is no content', 'a\n', '>>>>>>> REPLACE\n', '!ambiguous_format'],
    ['E-8 a diff after prose is ambiguous', 'a\n', 'Changed:\n\n@@ -1 +1 @@\n-a\n+b\n', '!ambiguous_format'],
    ['E-8 a patch after prose is ambiguous', 'a\n', `Sure.\n${patch('*** Add File: x', '+b')}`, '!ambiguous_format'],
    ['E-8 a diff without numbers after prose is content', 'a\n', 'Changed\n@@\n-a\n+b\n', 'Changed\n@@\n-a\n+b\n'],
    ['E-8 half a block after prose is ambiguous', 'a\n', 'x\n<<<<<<< SEARCH\na\n', '!ambiguous_format'],
    [
      'E-8 in a document a fenced example is content',
      '# T\n',
      `# T\n\n${FENCE}\n${block('a', 'b')}${FENCE}\n`,
      `# T\n\n${FENCE}\n${block('a', 'b')}${FENCE}\n`,
      { path: 'docs/a.md' },
    ],
    ['E-8 in a document an unfenced block is ambiguous', '# T\n', `# T\n\n${block('a', 'b')}`, '!ambiguous_format', { path: 'docs/a.md' }],
    [
      'E-8 in code a fenced block is ambiguous',
      'a\n',
      `// T\n${FENCE}\n${block('a', 'b')}${FENCE}\n`,
      '!ambiguous_format',
      { path: 'a.js' },
    ],
    ['E-8 for an empty file the text is its content', '', `Here:\n${block('a', 'b')}`, `Here:\n${block('a', 'b')}`],
    ['E-8 with a forced format the text around is ignored', 'a\n', `Here:\n${block('a', 'b')}Done.\n`, 'b\n', { format: 'search_replace' }],
    ['E-8 prose behind a block without a forced format is malformed', 'a\n', `${block('a', 'b')}This sets b.\n`, '!malformed'],
    ['E-9 in a sed file a command is content', 's/x/y/\n', 's/a/b/\n', 's/a/b/\n', { path: 'fix.sed' }],
    ['E-9 in a patch file a diff is content', 'x\n', '@@ -1 +1 @@\n-x\n+y\n', '@@ -1 +1 @@\n-x\n+y\n', { path: 'fix.patch' }],
    ['E-9 in a diff file a diff can be asked for', 'x\n', '@@ -1 +1 @@\n-x\n+y\n', 'y\n', { path: 'fix.diff', format: 'udiff' }],
    ['E-4 blank text for a file with content is malformed', 'a\n', ' \n\t\n', '!malformed'],
    ['E-4 a forced whole empties a file', 'a\n', '', '', { format: 'whole' }],
    ['E-4 blank text is the content of an empty file', '', '\n', '\n'],
  ])
})

describe('search and replace blocks', () => {
  rows([
    ['E-10 other labels and any case', 'a\n', '<<<<<<< original\na\n=======\nb\n>>>>>>> Updated\n', 'b\n'],
    ['E-10 markers of nine hold a block of seven as content', block('x', 'y'), block(block('x', 'y').trimEnd(), 'z', 9), 'z\n'],
    ['E-10 dashes and plus signs', 'a\n', '------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n', 'b\n'],
    [
      'E-10 a closer of another length is accepted when it is the only one',
      'a\n',
      '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>>> REPLACE\n',
      'b\n',
    ],
    ['E-10 a separator of another length too', 'a\n', '<<<<<<< SEARCH\na\n=====\nb\n>>>>>>> REPLACE\n', 'b\n'],
    [
      'E-10 two separators of the right length are malformed',
      'T\n',
      '<<<<<<< SEARCH\nT\n=======\nU\n=======\n>>>>>>> REPLACE\n',
      '!malformed',
    ],
    ['E-10 an underline of another length is content', 'Title\n=====\n', block('Title\n=====', 'Other\n====='), 'Other\n=====\n'],
    ['E-10 an empty SEARCH creates', null, block('', 'a\nb'), 'a\nb\n'],
    ['E-10 an empty SEARCH fills an empty file', '', block('', 'a'), 'a\n'],
    ['E-10 an empty SEARCH on a file with content is refused', 'x\n', block('', 'a'), '!empty_search'],
    ['E-10 a hint is no content', 'a\nb\na\n', '<<<<<<< SEARCH\n:start_line:3\n-------\na\n=======\nz\n>>>>>>> REPLACE\n', 'a\nb\nz\n'],
    [
      'E-10 both numbers of a hint',
      'a\nb\na\n',
      '<<<<<<< SEARCH\n:start_line:1\n:end_line:1\n-------\na\n=======\nz\n>>>>>>> REPLACE\n',
      'z\nb\na\n',
    ],
    [
      'E-10 without a line of dashes it is content',
      ':start_line:3\n',
      '<<<<<<< SEARCH\n:start_line:3\n=======\nz\n>>>>>>> REPLACE\n',
      'z\n',
    ],
    [
      'E-10 fences and path lines stand between blocks',
      'a\nb\n',
      `x.js\n${FENCE}js\n${block('a', 'c')}${FENCE}\n\nx.js\n${FENCE}js\n${block('b', 'd')}${FENCE}\n`,
      'c\nd\n',
    ],
    ['E-10 prose between blocks is malformed', 'a\nb\n', `${block('a', 'c')}and then this\n${block('b', 'd')}`, '!malformed'],
    ['E-10 a label without a run is content', 'SEARCH\n', block('SEARCH', 'FIND'), 'FIND\n'],
    ['E-10 two files in one text', 'a\n', `x.js\n${block('a', 'b')}y.js\n${block('c', 'd')}`, '!multi_file'],
    ['E-10 a bare run of > closes nothing', 'a\n', '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>>\n', '!malformed'],
    ['E-10 a cut block before a complete one is malformed', 'a\n', `<<<<<<< SEARCH\na\n=======\n${block('a', 'b')}`, '!malformed'],
    ['E-4 a block that changes nothing', 'a\n', block('a', 'a'), '!no_change'],
    ['E-11 the second half alone is the whole file', 'old\n', '=======\nnew\n>>>>>>> REPLACE\n', 'new\n'],
    ['E-11 and creates', null, '=======\nnew\n>>>>>>> REPLACE', 'new\n'],
    ['E-11 each line is ended, as the file ends its lines', 'a\r\nb', '=======\nx\ny\n>>>>>>> REPLACE\n', 'x\r\ny\r\n'],
    ['E-11 nothing between the markers empties no file', 'old\n', '=======\n>>>>>>> REPLACE\n', '!malformed'],
  ])
})

describe('unified diffs', () => {
  rows([
    ['E-12 without numbers', 'a\nb\n', '@@\n a\n-b\n+c\n', 'a\nc\n'],
    ['E-12 with text behind the marks', 'a\nb\n', '@@ function x() @@\n a\n-b\n+c\n', 'a\nc\n'],
    ['E-12 wrong counts are not trusted', 'a\nb\n', '@@ -7,9 +1,1 @@\n a\n-b\n+c\n', 'a\nc\n'],
    ['E-12 broken numbers are malformed', 'a\n', '@@ -1,x +1 @@\n-a\n+b\n', '!malformed'],
    ['E-12 an empty line is empty context', 'a\n\nb\n', '@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n', 'a\n\nc\n'],
    ['E-12 empty lines at the end are dropped', 'a\n', '@@ -1 +1 @@\n-a\n+b\n\n\n', 'b\n'],
    ['E-12 a line without a sign is malformed', 'a\nb\n', '@@ -1,2 +1,2 @@\n-a\n+c\nb\n', '!malformed'],
    ['E-12 headers without a hunk change nothing', 'a\n', '--- a/x\n+++ b/x\n', '!no_change'],
    ['E-12 only added lines need a place', 'a\n', '@@ -1,0 +2 @@\n+b\n', '!empty_search'],
    ['E-12 only added lines create', null, '@@ -0,0 +1,2 @@\n+a\n+b\n', 'a\nb\n'],
    [
      'E-12 what older tools write below their first line is theirs',
      'a\n',
      'Index: x.js\nRCS file: y\n===\n--- x.js\n+++ x.js\n@@ -1 +1 @@\n-a\n+b\n',
      'b\n',
    ],
    [
      'E-12 a Subversion header',
      'a\n',
      'Index: x.js\n=====\n--- x.js\t(revision 1)\n+++ x.js\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n',
      'b\n',
      { path: 'x.js' },
    ],
    [
      'E-12 a git header',
      'a\n',
      'diff --git a/x.js b/x.js\nindex 1..2 100644\n--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-a\n+b\n',
      'b\n',
      { path: 'x.js' },
    ],
    ['E-12 a quoted path of git', 'a\n', '--- "a/f\\303\\274.js"\n+++ "b/f\\303\\274.js"\n@@ -1 +1 @@\n-a\n+b\n', 'b\n', { path: 'fü.js' }],
    ['E-12 a hunk without changed lines', 'a\n', '@@ -1 +1 @@\n a\n', '!no_change'],
    ['E-12 removed text that looks like a header stays content', '-- a\n++ b\nc\n', '@@ -1,3 +1 @@\n--- a\n-++ b\n c\n', 'c\n'],
    ['E-23 hunks apply one after the other', 'a\nb\nc\nb\n', '@@\n-a\n+x\n b\n@@\n c\n-b\n+y\n', 'x\nb\nc\ny\n'],
    ['E-23 a hunk above the one before it is refused', 'a\nb\n', '@@\n-b\n+y\n@@\n-a\n+x\n', '!not_found'],
    ['E-27 numbers choose among equal places', 'x\ny\nx\ny\n', '@@ -3,1 +3,1 @@\n-x\n+z\n', 'x\ny\nz\ny\n'],
    ['E-27 numbers that fit no place leave it ambiguous', 'x\ny\nx\ny\n', '@@ -2,1 +2,1 @@\n-x\n+z\n', '!ambiguous'],
    [
      'E-27 numbers are carried through earlier hunks',
      'a\nx\nb\nx\n',
      '@@ -1,1 +1,3 @@\n-a\n+a1\n+a2\n+a3\n@@ -4,1 +6,1 @@\n-x\n+z\n',
      'a1\na2\na3\nx\nb\nz\n',
    ],
    ['E-34 a marker after a new line takes the last break away', 'a\n', '@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n', 'b'],
    ['E-34 a marker after an old line brings it', 'a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n', 'b\n'],
    [
      'E-34 a marker after both changes nothing',
      'a',
      '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n',
      'b',
    ],
    ['E-34 only the last break differs', 'a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n', 'a\n'],
    ['E-39 a diff from /dev/null creates', null, '--- /dev/null\n+++ b/x.js\n@@ -0,0 +1 @@\n+a\n', 'a\n', { path: 'x.js' }],
    ['E-39 but not over a file', 'z\n', '--- /dev/null\n+++ b/x.js\n@@ -0,0 +1 @@\n+a\n', '!exists', { path: 'x.js' }],
    ['E-40 a diff to /dev/null deletes', 'a\nb\n', '--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n', null],
    ['E-40 not if other lines are left', 'a\nb\nc\n', '--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n', '!not_found'],
    ['E-40 a header alone deletes', 'a\n', 'diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n', null],
    [
      'E-42 a path with blanks in a git header',
      'a\n',
      'diff --git a/my file b/my file\ndeleted file mode 100644\n',
      null,
      { path: 'my file' },
    ],
    ['E-40 a missing file cannot be deleted', null, '--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n', '!missing_file'],
    ['E-42 a path with .. is refused', 'a\n', '--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n', '!path_mismatch'],
    ['E-42 an absolute path is refused', 'a\n', '--- /etc/x\n+++ /etc/x\n@@ -1 +1 @@\n-a\n+b\n', '!path_mismatch'],
    ['E-43 two files in one diff', 'a\n', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n', '!multi_file'],
  ])
})

describe('patches', () => {
  rows([
    ['E-13 an anchor sets the place', 'f\n x\ng\n x\n', patch('*** Update File: a', '@@ g', '- x', '+ y'), 'f\n x\ng\n y\n'],
    [
      'E-13 an anchor is compared without blanks at its ends',
      '  f {\nx\n  g {\nx\n',
      patch('*** Update File: a', '@@ g {', '-x', '+y'),
      '  f {\nx\n  g {\ny\n',
    ],
    ['E-13 an anchor that is not there', 'x\n', patch('*** Update File: a', '@@ h', '-x', '+y'), '!not_found'],
    ['E-13 an anchor that stands twice', 'g\nx\ng\nx\n', patch('*** Update File: a', '@@ g', '-x', '+y'), '!ambiguous'],
    [
      'E-13 several anchors lead further in',
      'c A\nf\nx\nc B\nf\nx\n',
      patch('*** Update File: a', '@@ c B', '@@ f', '-x', '+y'),
      'c A\nf\nx\nc B\nf\ny\n',
    ],
    ['E-28 after an anchor the first exact place counts', 'g\nx\nx\n', patch('*** Update File: a', '@@ g', '-x', '+y'), 'g\ny\nx\n'],
    ['E-28 tolerant places must be the only one', 'g\n x\n x\n', patch('*** Update File: a', '@@ g', '-x', '+y'), '!ambiguous'],
    ['E-13 the first hunk needs no marks', 'a\nb\n', patch('*** Update File: a', ' a', '-b', '+c'), 'a\nc\n'],
    ['E-13 added lines alone go to the end', 'a\n', patch('*** Update File: a', '@@', '+b'), 'a\nb\n'],
    ['E-13 also where the last line has no break', 'a', patch('*** Update File: a', '@@', '+b'), 'a\nb'],
    ['E-13 added lines alone below an anchor have no place', 'a\n', patch('*** Update File: a', '@@ a', '+b'), '!empty_search'],
    [
      'E-13 the end of the file chooses the last place',
      'x\ny\nx\n',
      patch('*** Update File: a', '@@', '-x', '+z', '*** End of File'),
      'x\ny\nz\n',
    ],
    [
      'E-13 a place elsewhere is not the end of the file',
      'x\ny\n',
      patch('*** Update File: a', '@@', '-x', '+z', '*** End of File'),
      '!not_found',
    ],
    ['E-13 a shell text around it is peeled', 'a\n', `apply_patch <<'EOF'\n${patch('*** Update File: a', '@@', '-a', '+b')}EOF\n`, 'b\n'],
    ['E-13 blanks around the marks', 'a\n', ' *** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch \n', 'b\n'],
    ['E-13 an added file has a plus sign on every line', null, patch('*** Add File: a', '+x', 'y'), '!malformed'],
    ['E-13 a section of another kind is malformed', 'a\n', patch('*** Change File: a', '@@', '-a', '+b'), '!malformed'],
    ['E-13 a patch without sections is malformed', 'a\n', patch(), '!malformed'],
    ['E-13 a section without hunks changes nothing', 'a\n', patch('*** Update File: a'), '!no_change'],
    ['E-39 Add File creates', null, patch('*** Add File: a', '+x', '+'), 'x\n\n'],
    ['E-40 Delete File', 'a\n', patch('*** Delete File: a'), null],
    ['E-40 Delete File on nothing', null, patch('*** Delete File: a'), '!missing_file'],
    ['E-41 Move to without hunks keeps the content', 'a\n', patch('*** Update File: a', '*** Move to: b'), 'a\n'],
    ['E-41 a missing file cannot be moved', null, patch('*** Update File: a', '*** Move to: b'), '!missing_file'],
    ['E-42 the path of a patch must agree', 'a\n', patch('*** Update File: x', '@@', '-a', '+b'), '!path_mismatch', { path: 'y' }],
    ['E-42 a new path must stay inside', 'a\n', patch('*** Update File: x', '*** Move to: ../y'), '!path_mismatch'],
    ['E-12 an update of a missing file', null, patch('*** Update File: x', '@@', '-a', '+b'), '!missing_file'],
  ])
})

describe('sed', () => {
  rows([
    ['E-14 several commands', 'a b\n', 's/a/c/; s|b|d|', 'c d\n'],
    ['E-14 on several lines', 'a b\n', 's/a/c/\ns/b/d/\n', 'c d\n'],
    ['E-14 the last slash may be missing', 'a\n', 's/a/b', 'b\n'],
    ['E-14 an escaped delimiter', 'a/b\n', 's/a\\/b/c\\/d/', 'c/d\n'],
    ['E-14 an unknown flag', 'a\n', 's/a/b/x', '!malformed'],
    [
      'E-14 text that only starts like a command is content',
      'x\n',
      's, like this one, are text\nand more\n',
      's, like this one, are text\nand more\n',
    ],
    ['E-14 a path is content', 'x\n', 's/usr/local\nbin\n', 's/usr/local\nbin\n'],
    ['E-15 a text that occurs is no expression', 'a.b axb\n', 's/a.b/c/', 'c axb\n'],
    ['E-15 else it is one', 'axb\n', 's/a.b/c/', 'c\n'],
    ['E-15 ignoring case', 'ABC\n', 's/abc/x/i', 'x\n'],
    ['E-15 ^ and $ at every line', 'a\nb\n', 's/^b$/c/', 'a\nc\n'],
    ['E-15 a dot does not cross lines', 'a\nb\n', 's/a.b/c/', '!not_found'],
    ['E-15 but does with s', 'a\nb\n', 's/a.b/c/s', 'c\n'],
    ['E-15 line ends are seen as \\n', 'a\r\nb\r\n', 's/a\\nb/c/', 'c\r\n'],
    ['E-15 an empty match is malformed', 'abc\n', 's/x*/y/g', '!malformed'],
    ['E-15 a broken expression is malformed', 'abc\n', 's/a(/y/', '!malformed'],
    ['E-17 line breaks and tabs in the new text', 'a\n', 's/a/b\\n\\tc/', 'b\n\tc\n'],
    ['E-17 groups', 'k=v\n', 's/(\\w)=(\\w)/\\2=\\1 \\0/', 'v=k k=v\n'],
    ['E-17 a group that is not there', 'k=v\n', 's/(\\w)=./\\2/', '!malformed'],
    ['E-17 a bare & in an expression', 'a1\n', 's/\\d/<&>/', '!malformed'],
    ['E-17 escaped signs', 'a1\n', 's/\\d/\\&\\$/', 'a&$\n'],
    ['E-17 in a literal they are themselves', 'a1\n', 's/a1/& $1 \\1/', '& $1 \\1\n'],
    ['E-16 g over lines', 'a\na\n', 's/a/b/g', 'b\nb\n'],
    ['E-4 replaced by itself', 'a\n', 's/a/a/', '!no_change'],
    ['E-4 nothing to look for', 'a\n', 's//b/', '!empty_search'],
    ['E-4 a text that only i finds and that changes its case is changed', 'FOO\n', 's/foo/foo/i', 'foo\n'],
    ['E-4 a group put back where it stood is no change', 'x\n', 's/(?<n>x)/\\1/', '!no_change'],
    ['E-4 no place of several changes', 'x y\n', 's/(\\w)/\\1/g', '!no_change'],
    ['E-4 one place of several changes', 'x y\n', 's/x|y/x/g', 'x x\n'],
    ['E-4 the same text twice is no change, not ambiguous', 'a\na\n', 's/a/a/', '!no_change'],
    ['E-4 the first match of the line stays as it is', 'x y\n', 's/x|y/x/', '!no_change'],
    ['E-15 an unused group is empty', 'b\n', 's/(a)?b\\b(?!x)/[\\1]/', '[]\n'],
  ])
})

describe('elements, objects and attributes', () => {
  rows([
    ['E-18 elements', 'a b c', '<old_text>b</old_text>\n<new_text>x</new_text>', 'a x c'],
    ['E-18 other names', 'a b c', '<old_str>b</old_str><new_str>x</new_str>', 'a x c'],
    ['E-18 several pairs', 'a b', '<old_string>a</old_string><new_string>x</new_string>\n<search>b</search><replace>y</replace>', 'x y'],
    ['E-18 one line break at both ends is the frame', 'a\nb\nc\n', '<old_text>\nb\n</old_text>\n<new_text>\nx\n</new_text>', 'a\nx\nc\n'],
    ['E-18 one at one end is content', 'ab\nc', '<old_text>b\n</old_text><new_text>x</new_text>', 'axc'],
    ['E-18 entities stay', 'a &amp; b', '<old_text>&amp;</old_text><new_text>&lt;</new_text>', 'a &lt; b'],
    ['E-18 a missing second element', 'a', '<old_text>a</old_text>', '!malformed'],
    ['E-18 an HTML search element is content', 'x\n', '<search><input></search>\n', '<search><input></search>\n'],
    ['E-19 an array', 'a b', '[{"search":"a","replace":"x"},{"old":"b","new":"y"}]', 'x y'],
    ['E-19 all', 'a a', '{"old_string":"a","new_string":"b","replace_all":true}', 'b b'],
    ['E-19 the short form', 'a "b"', '{search="a \\"b\\"", replace="c"}', 'c'],
    ['E-19 an empty replacement deletes', 'a b', '{"search":" b","replace":""}', 'a'],
    ['E-19 a missing replacement', 'a', '{"search":"a"}', '!malformed'],
    ['E-19 JSON that is cut off', 'a', '{"search":"a","repl', '!malformed'],
    ['E-19 other JSON is content', '{"a":1}', '{"name":"x","search":true}', '{"name":"x","search":true}'],
    ['E-19 a path that does not agree', 'a', '{"path":"y.js","search":"a","replace":"b"}', '!path_mismatch', { path: 'x.js' }],
    ['E-19 two paths', 'a', '[{"path":"x","search":"a","replace":"b"},{"path":"y","search":"a","replace":"b"}]', '!multi_file'],
    ['E-20 attributes', 'port = 3000', '<set path="a.js" search="3000" replace="8080"/>', 'port = 8080', { path: 'a.js' }],
    ['E-20 a body is the replacement, byte for byte', 'a', '<set search="a"> x\n</set>', ' x\n'],
    ['E-20 a search alone', 'a', '<set search="a"/>', '!malformed'],
    ['E-20 a bare all', 'a a', '<set search="a" replace="b" all/>', 'b b'],
    ['E-20 single quotes, > and entities inside quotes', 'a > "b"', `<set search='a > "b"' replace="&quot;c&quot; &amp;"/>`, '"c" &amp;'],
    ['E-20 a tag without search is content', 'x', '<set attributeName="x" to="1"/>', '<set attributeName="x" to="1"/>'],
    ['E-20 two tags are malformed', 'a', '<set search="a" replace="b"/><set search="b" replace="c"/>', '!malformed'],
    ['E-20 an unclosed tag is malformed', 'a', '<set search="a">b', '!malformed'],
    ['E-20 an object', 'a b a', { search: 'b', replace: 'c' }, 'a c a'],
    [
      'E-20 a list applies in order',
      'a',
      [
        { search: 'a', replace: 'b' },
        { search: 'b', replace: 'c' },
      ],
      'c',
    ],
    ['E-20 an empty list', 'a', [], '!malformed'],
    ['E-26 all does not overlap', 'aaa', { search: 'aa', replace: 'b', all: true }, 'ba'],
    ['E-26 all knows no tolerance', '  a\n', { search: 'a ', replace: 'b', all: true }, '!not_found'],
    ['E-24 overlapping places are counted', 'aaa', { search: 'aa', replace: 'b' }, '!ambiguous'],
    ['E-39 an empty search creates', null, { search: '', replace: 'x' }, 'x'],
    ['E-4 an empty search on a file with content', 'a', { search: '', replace: 'x' }, '!empty_search'],
    ['E-6 an object is no diff', 'a', { search: 'a', replace: 'b' }, '!malformed', { format: 'udiff' }],
  ])
})

describe('what is told about formats', () => {
  const warnings = (original: string | null, edit: EditInput['edit'], more: Partial<EditInput> = {}): string[] => {
    const told = apply({ original, edit, ...more })
    return 'ok' in told ? told.ok.warnings.map(({ code }) => code) : [`!${told.error.code}`]
  }

  test.each<[string, string | null, EditInput['edit'], string[], Partial<EditInput>?]>([
    ['E-10 a marker of another length', 'a\n', '<<<<<<< SEARCH\na\n=======\nb\n>>>>>>>> REPLACE\n', ['marker_length']],
    ['E-12 counts that do not fit', 'a\n', '@@ -1,5 +1,5 @@\n-a\n+b\n', ['hunk_count']],
    ['E-8 prose that was ignored', 'a\n', `Hi.\n${block('a', 'b')}`, ['prose_ignored'], { format: 'search_replace' }],
    ['E-6 a fence that was kept', 'a\n', '```js\nb\n```\n', ['fenced_body']],
    ['E-20 a body that was ignored', 'a', '<set search="a" replace="b">c</set>', ['body_ignored']],
    ['E-35 line ends that were kept', 'a\r\n', 'b\nc\n', ['eol_kept']],
    ['E-24 the level that was needed', 'a  \n', block('a', 'b'), ['trailing']],
  ])('%s', (_, original, edit, wanted, more) => {
    expect(warnings(original, edit, more)).toEqual(wanted)
  })

  test('E-7 a broken edit names its line', () => {
    expect(apply({ original: 'a\n', edit: `\n\n${block('a', 'b')}\nwhat is this\n` })).toMatchObject({
      error: { code: 'malformed', line: 9 },
    })
  })

  test('E-41 a rename has the new path and the edited content', () => {
    const edit = 'diff --git a/x b/y\nsimilarity index 50%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n'
    expect(apply({ original: 'a\n', edit, path: 'x' })).toMatchObject({
      ok: { action: 'rename', path: 'y', content: 'b\n', changed: true },
    })
    expect(apply({ original: 'a\n', edit: 'diff --git a/x b/y\nrename from x\nrename to y\n' })).toMatchObject({
      ok: { action: 'rename', path: 'y', content: 'a\n', changed: false },
    })
  })

  test('E-43 the files of a text are listed', () => {
    const edit = patch('*** Update File: x', '@@', '-a', '+b', '*** Delete File: y')
    expect(apply({ original: 'a\n', edit })).toMatchObject({ error: { code: 'multi_file', paths: ['x', 'y'] } })
  })

  test('E-4 a whole text equal to the file succeeds without a change', () => {
    expect(apply({ original: 'a\n', edit: 'a\n' })).toMatchObject({ ok: { format: 'whole', changed: false, action: 'update' } })
  })
})
