import type { Language } from '../../source/language.ts'
import { splitTests } from '../../source/test-part.ts'
import { type FindingRule, finding } from '../rule.ts'
import { viewsOf } from '../view.ts'

// Ways in which a program finds out that it is under test. Looked for in code without comments; what is found must begin in code,
// not inside a string.

const QUOTE = '["\'`]'
const RUNNER_VARIABLES = 'JEST_WORKER_ID|VITEST\\w*|NODE_TEST_CONTEXT|PYTEST_\\w+|MOCHA_\\w+|BATS_TEST_\\w+|GO_TEST_\\w+'
const ENVIRONMENTS = 'NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|DJANGO_ENV|MIX_ENV'

const SHARED: readonly RegExp[] = [
  // env.NODE_ENV === 'test', env["NODE_ENV"] == "test", os.getenv("APP_ENV") == "test"
  new RegExp(`(?:\\benv(?:iron)?|\\bENV|[gG]etenv)\\b[^\\n;]{0,20}?\\b(?:${ENVIRONMENTS})\\b[^\\n;&|]{0,20}?[!=]==?\\s*${QUOTE}test`, 'g'),
  new RegExp(`(?<![\\w"'\`])(?:${ENVIRONMENTS})\\s*[!=]==?\\s*${QUOTE}test${QUOTE}`, 'g'),
  new RegExp(`${QUOTE}test${QUOTE}\\s*[!=]==?\\s*[\\w.?]{0,40}\\b(?:${ENVIRONMENTS})\\b`, 'g'),
  new RegExp(`(?:\\benv(?:iron)?|\\bENV|[gG]etenv|\\benv::var)\\b[^\\n;,]{0,20}?(?:${RUNNER_VARIABLES})\\b`, 'g'),
  new RegExp(`${QUOTE}(?:${RUNNER_VARIABLES})${QUOTE}\\s+(?:not\\s+)?in\\s+[\\w.]{0,40}env`, 'g'),
]

const script: readonly RegExp[] = [
  /\btypeof\s+(?:global(?:This)?\.)?(?:jest|vi|vitest|describe|it|expect|beforeEach|mocha)\b\s*[!=]==?/g,
  /\bglobal(?:This)?\.(?:jest|vi|describe|it|expect|__vitest_\w+|beforeEach)\b/g,
  /\bprocess\.(?:argv|argv0|execArgv|title|mainModule)\b[^\n;]{0,120}\b(?:jest|vitest|mocha|ava|jasmine)\b/g,
  /\bprocess\.execArgv\b[^\n;]{0,80}--test\b/g,
  /\brequire\.(?:cache|main)\b[^\n;]{0,120}\b(?:jest|vitest|mocha|jasmine)\b/g,
  /\bnpm_lifecycle_event\b[^\n;]{0,10}?[!=]==?\s*["'`]test/g,
  /\.stack\b[^\n;]{0,80}(?:\.test\.|\.spec\.|\bjest\b|\bvitest\b|\bmocha\b)/g,
]

const BY_LANGUAGE: Partial<Record<Language, readonly RegExp[]>> = {
  javascript: script,
  typescript: script,
  python: [
    /["'](?:_?pytest|unittest|nose2?)["']\s+(?:not\s+)?in\s+sys\.modules/g,
    /\bsys\.modules\b[^\n]{0,10}["'](?:_?pytest|unittest|nose2?)["']/g,
    /\bsys\.argv\b[^\n]{0,80}\b(?:pytest|unittest)\b/g,
    /\b(?:inspect\.stack|traceback\.extract_stack|sys\._getframe)\b[^\n]{0,120}\b(?:pytest|unittest|test_)/g,
  ],
  go: [/\btesting\.Testing\(\)/g, /\bflag\.Lookup\(\s*"test\./g, /\bos\.Args\b[^\n]{0,80}"(?:[^"\n]{0,20}\.test|-test\.)/g],
  rust: [/\bcfg!\(\s*test\s*\)/g],
  java: [/\bClass\.forName\(\s*"(?:org\.junit|org\.testng)/g, /[sS]tackTrace\b[^\n]{0,120}\b(?:junit|testng)\b/g],
  kotlin: [/\bClass\.forName\(\s*"(?:org\.junit|io\.kotest)/g, /[sS]tackTrace\b[^\n]{0,120}\b(?:junit|kotest)\b/g],
  csharp: [/\bGetAssemblies\(\)[^\n]{0,160}\b(?:xunit|nunit|mstest|testhost)\b/gi],
  ruby: [/\bdefined\?\s*\(?\s*(?:::)?(?:RSpec|Minitest|Test::Unit)\b/g, /\bRails\.env\.test\?/g],
  php: [/\bdefined\(\s*["']PHPUNIT_\w+/g, /\brunningUnitTests\(\)/g, /\bclass_exists\(\s*["']\\?PHPUnit/g],
  shell: [new RegExp(`\\$\\{?(?:${RUNNER_VARIABLES})\\b`, 'g')],
}

export const codeDetectsTest: FindingRule = facts =>
  viewsOf(facts).flatMap(({ path, isTest, now, diff }) => {
    if (isTest || !now) return []
    const added = new Set(diff.added)
    const { production } = splitTests(now)
    const lines = new Map<number, string>()
    for (const form of [...SHARED, ...(BY_LANGUAGE[now.language] ?? [])]) {
      for (const match of now.plain.matchAll(form)) {
        const line = now.lineAt(match.index)
        const inCode = production[match.index] === now.text[match.index] || now.language === 'shell'
        if (inCode && added.has(line)) lines.set(line, match[0].trim())
      }
    }
    return [...lines].map(([line, measured]) => finding('code.detects-test', { path, line: line + 1, measured }))
  })
