import { defineConfig } from 'vitest/config'

export default defineConfig({
  define: { QED_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 30_000,
    // Two cores: tests that start processes would otherwise fight for time.
    maxWorkers: 2,
    env: { QED_CHECK_OUTPUT: '1', NO_COLOR: '', FORCE_COLOR: '' },
  },
})
