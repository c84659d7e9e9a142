/** Input for operations that do not answer without one. */
export const SAMPLE_INPUTS: Record<string, Record<string, unknown>> = {
  'config.get': { key: 'mode' },
  'policy.explain': { command: 'ls' },
  'policy.shell': { command: 'ls' },
  'policy.path': { path: 'src/a.ts' },
  'secrets.scan': { text: 'password=hunter2' },
}
