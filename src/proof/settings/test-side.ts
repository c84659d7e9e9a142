/** Files that belong to the tests (F-14). A project adds to them by `proof.tests`. */
export const DEFAULT_TESTS: readonly string[] = [
  '**/*.{test,spec}.*',
  '**/{test,tests,__tests__,spec}/**',
  '**/test_*.py',
  '**/*_test.{py,go,rs}',
  '**/*_spec.rb',
  '**/*{Test,Tests}.{java,kt,cs,php}',
  '**/__snapshots__/**',
  '**/*.snap',
  '**/{golden,testdata}/**',
]
