// The map of docs/architecture.md as rules: a file may import from its own room and from rooms above it.
const ROOMS = [
  'kernel',
  'text',
  'policy',
  'store',
  'project',
  'sandbox',
  'models',
  'context',
  'runs',
  'proof',
  'tools',
  'engine',
  'registry',
  'workflow',
  'memory',
  'advisor',
  'missions',
  'hosts',
  'client',
  'demo',
  'app',
  'operations',
  'surfaces',
  'sdk',
  'main',
]
const room = name => (['app', 'main'].includes(name) ? `^src/${name}\\.ts$` : `^src/${name}/`)

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'known-rooms',
      comment: 'A new room needs its row in ROOMS and in docs/architecture.md',
      severity: 'error',
      from: { path: '^src/', pathNot: ROOMS.map(room) },
      to: {},
    },
    { name: 'nothing-imports-tests', severity: 'error', from: { path: '^src/' }, to: { path: '^(test|bench|scripts)/' } },
    { name: 'no-undeclared-packages', severity: 'error', from: { path: '^src/' }, to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] } },
    ...ROOMS.map((name, i) => ({
      name: `${name}-imports-upward-only`,
      severity: 'error',
      from: { path: room(name) },
      to: { path: '^src/', pathNot: ROOMS.slice(0, i + 1).map(room) },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'], extensions: ['.ts', '.js'] },
  },
}
