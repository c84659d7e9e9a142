/** Projects in further languages, to be laid over a stack. */
export const PERL = {
  'lib/Sums.pm': 'package Sums;\nuse strict;\nuse warnings;\n\nsub total { my $sum = 0; $sum -= $_ for @_; return $sum }\n\n1;\n',
  't/sums.t':
    "use strict;\nuse warnings;\nuse Test::More;\nuse lib 'lib';\nuse Sums;\n\nis(Sums::total(1, 2), 3, 'adds');\n\ndone_testing;\n",
}
export const C = {
  Makefile: '.PHONY: test\ntest: out/check\n\tout/check\nout/check: src/clamp.c tests/check.c\n\tmkdir -p out && cc -o $@ $^\n',
  'src/clamp.c': 'int clamp(int n) { return n; }\n',
  'tests/check.c':
    '#include <assert.h>\nint clamp(int n);\nint main(void) {\n  assert(clamp(12) == 9);\n  assert(clamp(-3) == 0);\n  return 0;\n}\n',
}
