import { performance } from 'node:perf_hooks'
import { parse } from 'unbash'
import { plainFacts } from '../../src/policy/plain-facts.ts'
import { understandShell } from '../../src/policy/shell/understand.ts'
import type { Case } from '../harness.ts'

const ROUNDS = 200
const ROOT = '/home/user/project'
const FACTS = plainFacts(ROOT)

/** What coding agents run all day, short and long. */
export const COMMANDS = [
  'ls -la',
  'pwd',
  'cat package.json',
  'cat src/index.ts | head -50',
  "sed -n '1,120p' src/server/router.ts",
  'rg -n "TODO|FIXME" src',
  'grep -rn "createServer" --include="*.ts" src',
  'find . -name "*.test.ts" -not -path "./node_modules/*"',
  'find src -type f -name "*.css" | xargs wc -l | sort -n',
  'git status',
  'git status --short && git diff --stat',
  'git log --oneline -20',
  'git diff HEAD~1 -- src/app.ts',
  'git show HEAD:src/app.ts',
  'git add -A && git commit -m "Fix the parser for nested lists"',
  'git checkout -b feature/search',
  'git push origin feature/search',
  'git stash list',
  'git branch --show-current',
  'git rev-parse --show-toplevel',
  'npm test',
  'npm run build 2>&1 | tail -40',
  'npm ci',
  'npm install --save-dev vitest',
  'npx tsc --noEmit -p tsconfig.json',
  'npx vitest run test/policy --reporter=dot',
  'pnpm -r build',
  'yarn lint --fix',
  'CI=1 NODE_ENV=test npm test -- --watch=false',
  'timeout 120 npm run test:e2e',
  'env FOO=bar node scripts/seed.js',
  'node -e "console.log(require(\'./package.json\').version)"',
  'python3 -m pytest -x tests/unit',
  'python3 - <<\'EOF\'\nimport json\nprint(json.load(open("a.json"))["x"])\nEOF',
  'pip install -r requirements.txt',
  'cargo build --release',
  'cargo test -- --nocapture',
  'go test ./...',
  'make -j4 all',
  'mkdir -p src/components && touch src/components/Button.tsx',
  'rm -rf dist build',
  'rm -f tmp.log',
  'cp -r templates/base out/site',
  'mv src/old.ts src/new.ts',
  'chmod +x scripts/deploy.sh',
  "sed -i 's/foo/bar/g' src/config.ts",
  'echo "done" >> notes.txt',
  "cat > src/hello.ts <<'EOF'\nexport const hello = (name: string) => `hi ${name}`\nEOF",
  'curl -s https://api.example.com/v1/status | jq .version',
  'curl -sSL -o tool.tar.gz https://example.com/tool.tar.gz',
  'docker ps -a',
  'docker compose up -d',
  'kubectl get pods -n staging',
  'gh pr view 123 --json title,body',
  'ps aux | grep node | head -5',
  'lsof -i :3000',
  'which node && node --version',
  'cd packages/core && npm test',
  'cd /tmp && ls',
  'for f in a.ts b.ts c.ts; do wc -l "$f"; done',
  'if [ -f .nvmrc ]; then cat .nvmrc; else echo none; fi',
  'bash -lc "npm run lint && npm test"',
  'wc -l $(git ls-files "*.ts")',
  "awk -F, '{print $1, $3}' data.csv | sort | uniq -c | sort -rn | head",
  "jq -r '.dependencies | keys[]' package.json",
  'tail -n 100 -f logs/app.log',
  'du -sh node_modules && df -h .',
  'diff <(sort a.txt) <(sort b.txt)',
  'tar -tzf release.tgz | head',
  'ssh deploy@example.com "systemctl status app"',
  'git log --since="2 weeks ago" --author=ann --format="%h %s" -- src | grep -i fix',
  'test -d node_modules || npm ci',
]

/** Readings of commands per second, beside the bare parser on the same texts. */
export function shellCases(): Case[] {
  const floor = 'bare parser'
  const perSecond = (work: (command: string) => unknown): number => {
    const started = performance.now()
    for (let round = 0; round < ROUNDS; round++) for (const command of COMMANDS) work(command)
    return (ROUNDS * COMMANDS.length * 1000) / (performance.now() - started)
  }
  return [
    { name: floor, unit: 'parses/s', run: () => perSecond(command => parse(command)) },
    {
      name: 'shell reading',
      unit: 'readings/s',
      floor,
      goal: { least: 40_000 },
      run: () => perSecond(command => understandShell(command, { cwd: ROOT, facts: FACTS })),
    },
  ]
}
