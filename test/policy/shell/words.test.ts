import { describe, expect, test } from 'vitest'
import type { Facts } from '../../../src/policy/types.ts'
import { checkRows, ROOT, read, touched } from '../../support/shell.ts'

describe('words', () => {
  checkRows('P-24', 'a dynamic word asks, except where it can do nothing', [
    ['$x', 'other', 'ambiguous'],
    ['$x -la', 'other', 'ambiguous'],
    ['"$(echo rm)" -rf x', 'other', 'ambiguous'],
    ['$(echo ls)', 'other', 'ambiguous'],
    ['l$x', 'other', 'ambiguous'],
    ['cat $x', 'read-only', 'ambiguous'],
    ['cat "$x"', 'read-only', 'ambiguous'],
    ['cat ${x:-a}', 'read-only', 'ambiguous'],
    ['cat $1', 'read-only', 'ambiguous'],
    ['cat $@', 'read-only', 'ambiguous'],
    ['head -n $x a', 'read-only', 'ambiguous'],
    ['cat${IFS}/etc/passwd', 'other', 'ambiguous'],
    ['cat$IFS$9a', 'other', 'ambiguous'],
    ['echo $x "$y" ${z}', 'read-only', ''],
    ['echo "$(date)"', 'read-only', ''],
    ['printf "%s" "$x"', 'read-only', ''],
    ['printf $x', 'read-only', 'ambiguous'],
    ['true $x', 'read-only', ''],
    ['false "$x"', 'read-only', ''],
    ['test -f "$x"', 'read-only', ''],
    ['[ "$x" = y ]', 'read-only', ''],
    ['[ -n "$x" ]', 'read-only', ''],
    ['[ $x ]', 'read-only', 'ambiguous'],
    ['[ "$a" "$b" ]', 'read-only', 'ambiguous'],
    ['wc -l $(git ls-files)', 'read-only', 'ambiguous'],
    ['rm -rf "$x"', 'destructive', 'ambiguous destructive'],
    ['git $x', 'other', 'ambiguous'],
    ['x=$(date)', 'read-only', ''],
    ['x=$y ls', 'read-only', ''],
    ['cat $HOME_DIR', 'read-only', 'ambiguous'],
  ])

  checkRows('P-24', 'home, folder and temporary folder come from the facts', [
    ['cat ~/a', 'read-only', '', ['read /home/u/a']],
    ['cat ~', 'read-only', '', ['read /home/u']],
    ['cat $HOME/a', 'read-only', '', ['read /home/u/a']],
    ['cat "${HOME}/a"', 'read-only', '', ['read /home/u/a']],
    ['cat $PWD/a', 'read-only', '', ['read /w/p/a']],
    ['cat ~+/a', 'read-only', '', ['read /w/p/a']],
    ['cat $TMPDIR/a', 'read-only', '', ['read /tmp/a']],
    ['cat ~root/a', 'read-only', '', ['read /~root/a']],
    ['cat ~-/a', 'read-only', 'ambiguous'],
    ["cat '~/a'", 'read-only', '', ['read /w/p/~/a']],
    ['cat \\~/a', 'read-only', '', ['read /w/p/~/a']],
    ["cat '$HOME/a'", 'read-only', '', ['read /w/p/$HOME/a']],
    ['TMPDIR=/etc; cat $TMPDIR/a', 'read-only', 'ambiguous'],
    ['PWD=/etc; cat $PWD/a', 'read-only', 'ambiguous'],
    ['HOME=/etc; cat $HOME/a', 'read-only', 'ambiguous env-override'],
    ['read TMPDIR < f; cat $TMPDIR/a', 'read-only', 'ambiguous'],
    ["eval 'TMP''DIR=/etc'; cat $TMPDIR/a", 'read-only', 'ambiguous'],
    ['cat $HOME$x', 'read-only', 'ambiguous'],
    ['dd of=~/a', 'destructive', 'destructive'],
    ['rm -rf "$HOME"', 'destructive', 'catastrophic destructive'],
    ['rm -rf $HOME/', 'destructive', 'catastrophic destructive'],
  ])

  checkRows('P-24', 'braces become the words they stand for', [
    ['cat {a,b}', 'read-only', '', ['read /w/p/a', 'read /w/p/b']],
    ['cat x{1..3}', 'read-only', '', ['read /w/p/x1', 'read /w/p/x2', 'read /w/p/x3']],
    ['cat {3..1..2}', 'read-only', '', ['read /w/p/3', 'read /w/p/1']],
    ['cat {01..02}', 'read-only', '', ['read /w/p/01', 'read /w/p/02']],
    ['cat {a..c}', 'read-only', '', ['read /w/p/a', 'read /w/p/b', 'read /w/p/c']],
    ['cat a{b,c{d,e}}', 'read-only', '', ['read /w/p/ab', 'read /w/p/acd', 'read /w/p/ace']],
    ["cat {a,'b c'}", 'read-only', '', ['read /w/p/a', 'read /w/p/b c']],
    ['cat "{a,b}"', 'read-only', '', ['read /w/p/{a,b}']],
    ['cat {a}', 'read-only', '', ['read /w/p/{a}']],
    ['{rm,-rf,/}', 'destructive', 'catastrophic destructive'],
    ['{ls,}', 'read-only', ''],
    ['find src -{delete,print}', 'destructive', 'destructive'],
    ['sort -{o,}x a', 'other', ''],
    ['cat {a,$x}', 'read-only', 'ambiguous'],
    ['cat {1..100000}', 'read-only', 'ambiguous'],
    ['cat {a,$(id)}', 'read-only', 'ambiguous'],
    ['r{m,} -rf x', 'destructive', 'destructive'],
    ['cat {$HOME,/etc}/passwd', 'read-only', '', ['read /home/u/passwd', 'read /etc/passwd']],
  ])

  checkRows('P-24', 'a loop variable takes each of its values', [
    ['for f in a b; do cat $f; done', 'read-only', '', ['read /w/p/a', 'read /w/p/b']],
    ['for f in a b; do cat "$f.ts"; done', 'read-only', '', ['read /w/p/a.ts', 'read /w/p/b.ts']],
    ['for f in {a,b}; do rm $f; done', 'file-effect', '', ['delete /w/p/a', 'delete /w/p/b']],
    ['for c in ls rm; do $c x; done', 'file-effect', 'ambiguous'],
    ['for c in "rm -rf /"; do $c; done', 'other', 'ambiguous'],
    ['for d in / ~; do rm -rf $d; done', 'destructive', 'catastrophic destructive'],
    ['for f in $(ls); do cat $f; done', 'read-only', 'ambiguous'],
    ['for f; do cat $f; done', 'read-only', 'ambiguous'],
    ['for f in a; do f=/etc/passwd; cat $f; done', 'read-only', 'ambiguous'],
    ['for f in a; do read f; cat $f; done', 'read-only', 'ambiguous'],
    ['for f in a; do for f in /etc/passwd; do ls; done; cat $f; done', 'read-only', 'ambiguous'],
    ['for f in a; do cat $f; done; cat $f', 'read-only', 'ambiguous'],
    [
      'for x in a b; do for y in c d; do cat $x/$y; done; done',
      'read-only',
      '',
      ['read /w/p/a/c', 'read /w/p/a/d', 'read /w/p/b/c', 'read /w/p/b/d'],
    ],
    ['for f in *.ts; do cat "$f"; done', 'read-only', 'ambiguous'],
    ['for f in a; do cat ${f%.ts}; done', 'read-only', 'ambiguous'],
  ])

  checkRows('P-24', 'a variable with the name of a secret is read when it is an argument', [
    ['echo $API_KEY', 'read-only', '', ['secret API_KEY']],
    ['echo "${GITHUB_TOKEN}"', 'read-only', '', ['secret GITHUB_TOKEN']],
    ['printf %s "$DB_PASSWORD"', 'read-only', '', ['secret DB_PASSWORD']],
    ['echo ${MY_SECRET:-none}', 'read-only', '', ['secret MY_SECRET']],
    ['cat <<EOF\n$AWS_ACCESS_KEY_ID\nEOF', 'read-only', '', ['secret AWS_ACCESS_KEY_ID']],
    ['cat <<< "$NPM_TOKEN"', 'read-only', '', ['secret NPM_TOKEN']],
    ["cat <<'EOF'\n$NPM_TOKEN\nEOF", 'read-only', '', []],
    ["echo '$API_KEY'", 'read-only', '', []],
    ['echo ${#API_KEY}', 'read-only', '', []],
    ['echo $PATTERN $TOKENIZER', 'read-only', '', []],
  ])
})

describe('quoting', () => {
  checkRows('P-24', 'quotes do not hide what a word is', [
    ['r\\m -rf /', 'destructive', 'catastrophic destructive'],
    ["r''m -rf /", 'destructive', 'catastrophic destructive'],
    ['\'rm\' "-rf" /', 'destructive', 'catastrophic destructive'],
    ["$'\\x72\\x6d' -rf /", 'destructive', 'catastrophic destructive'],
    ["$'\\162m' $'-rf' $'/'", 'destructive', 'catastrophic destructive'],
    ['rm -r\\f /', 'destructive', 'catastrophic destructive'],
    ["find src -del''ete", 'destructive', 'destructive'],
    ['git \'push\' "--for"ce', 'destructive', 'destructive', ['net.send *']],
    ['\\ls', 'read-only', ''],
    ['"ls"', 'read-only', ''],
    ['ls\\\n-x', 'other', ''],
    ['ｒm -rf /', 'other', '', ['read? /']],
    ['Rm -rf /', 'other', '', ['read? /']],
    ['ls\u00a0-la', 'other', ''],
  ])

  test('P-37 where the file system ignores case, so do the names of programs', () => {
    expect(read('RM -rf /', { caseInsensitive: true }).class).toBe('destructive')
  })
})

describe('globs', () => {
  checkRows('P-25', 'a glob without facts asks', [
    ['cat *.ts', 'read-only', 'ambiguous', []],
    ['rm *.log', 'file-effect', 'ambiguous', []],
    ['cat [ab].ts', 'read-only', 'ambiguous'],
    ['cat a?', 'read-only', 'ambiguous'],
    ['cat -*', 'read-only', 'ambiguous'],
    ['cat > *.ts', 'file-effect', 'ambiguous'],
    ['/bin/l? x', 'other', 'ambiguous'],
    ['echo *', 'read-only', ''],
    ['printf *', 'read-only', 'ambiguous'],
    ['[ * ]', 'read-only', 'ambiguous'],
    ["cat '*.ts'", 'read-only', '', ['read /w/p/*.ts']],
    ['cat \\*.ts', 'read-only', '', ['read /w/p/*.ts']],
    ['rm -rf /*', 'destructive', 'ambiguous catastrophic destructive'],
    ['rm -rf ~/*', 'destructive', 'ambiguous catastrophic destructive'],
    ['rm -rf *', 'destructive', 'ambiguous catastrophic destructive'],
    ['rm -rf ./*', 'destructive', 'ambiguous catastrophic destructive'],
    ['rm -rf /e*', 'destructive', 'ambiguous catastrophic destructive'],
    ['rm -rf src/*', 'destructive', 'ambiguous destructive'],
    ['rm -rf .git/*', 'destructive', 'ambiguous catastrophic destructive'],
  ])

  test('P-25 with facts every match is a path of its own', () => {
    const reading = read('cat *.ts', { globs: { [`${ROOT}/*.ts`]: [`${ROOT}/a.ts`, `${ROOT}/b.ts`] } })
    expect([reading.class, touched(reading), reading.facets[0]?.flags]).toEqual(['read-only', ['read /w/p/a.ts', 'read /w/p/b.ts'], []])
  })

  test('P-25 no match leaves the word as it is, too many or a match that looks like an option asks', () => {
    const seen = (globs: Record<string, string[] | 'too-many'>): unknown => {
      const reading = read('cat *.ts', { globs })
      return [touched(reading), reading.facets[0]?.flags]
    }
    expect(seen({ [`${ROOT}/*.ts`]: [] })).toEqual([['read /w/p/*.ts'], []])
    expect(seen({ [`${ROOT}/*.ts`]: 'too-many' })).toEqual([[], ['ambiguous']])
    expect(seen({ [`${ROOT}/*.ts`]: [`${ROOT}/-n.ts`] })).toMatchObject([expect.anything(), ['ambiguous']])
  })

  test('P-25 a second match of uniq is a file that it would write', () => {
    expect(read('uniq *', { globs: { [`${ROOT}/*`]: [`${ROOT}/a`, `${ROOT}/b`] } }).class).toBe('other')
  })

  test('P-25 a loop over a glob takes each match, also as a part of a word', () => {
    const reading = read('for f in *.ts; do cp "$f" "$f.bak"; done', { globs: { [`${ROOT}/*.ts`]: [`${ROOT}/a.ts`] } })
    expect([touched(reading), reading.segments[0]?.flags]).toEqual([['read /w/p/a.ts', 'create /w/p/a.ts.bak'], []])
  })
})

checkRows('P-26', 'the folder moves with cd as far as that is certain', [
  ['cd src && cat a', 'read-only', '', ['list /w/p/src', 'read /w/p/src/a']],
  ['cd src; cat a', 'read-only', '', ['list /w/p/src', 'read /w/p/a', 'read /w/p/src/a']],
  ['cd src\ncat a', 'read-only', '', ['list /w/p/src', 'read /w/p/a', 'read /w/p/src/a']],
  ['cd src || cat a', 'read-only', '', ['list /w/p/src', 'read /w/p/a', 'read /w/p/src/a']],
  ['(cd src && ls) && cat a', 'read-only', '', ['list /w/p/src', 'list /w/p/src', 'read /w/p/a']],
  ['cd src | cat a', 'read-only', '', ['list /w/p/src', 'read /w/p/a']],
  ['cd src & cat a', 'read-only', 'background', ['list /w/p/src', 'read /w/p/a']],
  ['echo $(cd src) && cat a', 'read-only', '', ['list /w/p/src', 'read /w/p/a']],
  ['{ cd src; } && cat a', 'read-only', '', ['list /w/p/src', 'read /w/p/a', 'read /w/p/src/a']],
  ['cd /etc && cat passwd', 'read-only', '', ['list /etc', 'read /etc/passwd']],
  ['cd && cat a', 'read-only', '', ['list /home/u', 'read /home/u/a']],
  ['cd .. && cat a', 'read-only', '', ['list /w/p/..', 'read /w/a']],
  ['cd src && cat ../a', 'read-only', '', ['list /w/p/src', 'read /w/p/src/../a']],
  ['cd a && cd b && cat c', 'read-only', '', ['list /w/p/a', 'list /w/p/a/b', 'read /w/p/a/b/c']],
  ['cd - && cat a', 'read-only', 'ambiguous', []],
  ['cd $x && cat a', 'read-only', 'ambiguous', []],
  ['cd $x && cat /etc/passwd', 'read-only', 'ambiguous', ['read /etc/passwd']],
  ['cd $x && rm -rf *', 'destructive', 'ambiguous catastrophic destructive', []],
  ['pushd src && cat a', 'read-only', 'ambiguous', ['list /w/p/src']],
  ['popd && cat a', 'read-only', 'ambiguous', []],
  ['builtin cd /etc && cat passwd', 'read-only', '', ['list /etc', 'read /etc/passwd']],
  ['command cd /etc && cat passwd', 'read-only', '', ['list /etc', 'read /etc/passwd']],
  ['/usr/bin/cd /etc && cat a', 'read-only', '', ['list /etc', 'read /w/p/a']],
  ['! cd src && cat a', 'read-only', '', ['list /w/p/src', 'read /w/p/a', 'read /w/p/src/a']],
  [
    'if cd src; then cat a; fi; cat b',
    'read-only',
    '',
    ['list /w/p/src', 'read /w/p/a', 'read /w/p/src/a', 'read /w/p/b', 'read /w/p/src/b'],
  ],
  ['while true; do cd ..; cat a; done', 'read-only', 'ambiguous'],
  ['for d in a b; do (cd $d && cat c); done', 'read-only', ''],
  ['CDPATH=/etc; cd foo && cat a', 'read-only', 'ambiguous'],
  ['bash -c "cd /etc" && cat a', 'read-only', '', ['list /etc', 'read /w/p/a']],
  ['eval "cd /etc" && cat a', 'read-only', '', ['list /etc', 'read /w/p/a', 'read /etc/a']],
  ['cd 1; cd 2; cd 3; cd 4; cat a', 'read-only', 'ambiguous'],
  ['cd a b && cat c', 'read-only', 'ambiguous'],
])

test('P-26 behind a cd into a folder that is there the old one is left, unless something before may have changed it', () => {
  const at = (path: string, type: 'folder' | null) => ({ real: path, exists: type !== null, type, device: 1, inode: 1, links: 1 })
  const paths = { [`${ROOT}/src`]: at(`${ROOT}/src`, 'folder'), [`${ROOT}/src/cd`]: at(`${ROOT}/src/cd`, null) }
  const last = (command: string, known: Facts['paths'] = paths): string[] => touched(read(command, { paths: known })).slice(1)
  expect(last('cd src; cat a')).toEqual(['read /w/p/src/a'])
  expect(last('cd src\ncd ..')).toEqual(['list /w/p/src/..'])
  expect(last('rm -d src; cd src; cat a')).toEqual(['list /w/p/src', 'read /w/p/a', 'read /w/p/src/a'])
  expect(last('cd src && make; cat a')).toEqual(['read /w/p/src/a'])
  expect(last('make && cd src; cat a')).toEqual(['read /w/p/a', 'read /w/p/src/a'])
  expect(last('cd src || exit; cat a')).toEqual(['read /w/p/src/a'])
  expect(last('make || cd src; cat a')).toEqual(['read /w/p/a', 'read /w/p/src/a'])
  expect(last('! cd src; cat a')).toEqual(['read /w/p/a', 'read /w/p/src/a'])
  // A folder that nobody may enter is not reached.
  expect(last('cd src; cat a', { [`${ROOT}/src`]: at(`${ROOT}/src`, 'folder') })).toEqual(['read /w/p/a', 'read /w/p/src/a'])
})
