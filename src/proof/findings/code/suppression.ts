import { matchesAny } from '../../judges/matching.ts'
import type { Language } from '../../source/language.ts'
import { type FindingRule, finding } from '../rule.ts'
import { addedLines, type FileView, removedTexts, takeOne, viewsOf } from '../view.ts'

interface Silencers {
  comments: RegExp
  code?: RegExp
}

const ANY_LANGUAGE = 'NOSONAR|nosemgrep|codeql\\[|lgtm\\[|jscpd:ignore|cspell:disable|trunk-ignore'
const comments = (forms: string): RegExp => new RegExp(`(?:${forms}|${ANY_LANGUAGE})`, 'i')

const script: Silencers = {
  comments: comments(
    '\\b(?:eslint|oxlint|tslint|jshint|stylelint)[-:]disable|\\b(?:biome|deno-lint)-ignore|@ts-(?:ignore|expect-error|nocheck)\\b|\\b(?:istanbul|c8|v8|vitest) ignore\\b|\\bnode:coverage (?:ignore|disable)|@flow-(?:ignore|expect-error)|\\$FlowFixMe',
  ),
}
const shell: Silencers = { comments: comments('\\bshellcheck disable') }

/** How linters, compilers, coverage and audits are told to look away. */
const SILENCERS: Record<Language, Silencers> = {
  javascript: script,
  typescript: script,
  python: {
    comments: comments(
      '\\bnoqa\\b|\\btype:\\s*ignore|\\bpylint:\\s*disable|\\bpragma:\\s*no\\s*(?:cover|branch)|\\bnosec\\b|\\b(?:mypy|pyright|pytype|ruff|flake8):\\s*(?:ignore|noqa|disable|basic)',
    ),
    code: /@(?:typing\.)?no_type_check\b/,
  },
  go: { comments: comments('\\bnolint\\b|\\blint:ignore\\b|#nosec\\b') },
  rust: {
    comments: comments('\\btarpaulin|\\bgrcov-excl|\\bkcov-ignore'),
    code: /#!?\[\s*(?:allow|expect)\s*\(|#!?\[\s*cfg_attr\([^\]]{0,200}\ballow\s*\(|#\[\s*coverage\s*\(\s*off|#\[\s*cfg\(not\(tarpaulin/,
  },
  java: {
    comments: comments('\\bCHECKSTYLE[: ]?OFF|\\bnoinspection\\b|\\bNOPMD\\b|\\bspotless:off'),
    code: /@Suppress(?:Warnings|FBWarnings|Lint)\b/,
  },
  kotlin: { comments: comments('\\bnoinspection\\b|\\bktlint-disable'), code: /@(?:file:)?Suppress(?:Warnings|Lint)?\s*\(/ },
  csharp: {
    comments: comments('\\bReSharper disable'),
    code: /#pragma\s+warning\s+disable|\[\s*(?:assembly:\s*)?(?:SuppressMessage|ExcludeFromCodeCoverage)|#nullable\s+disable/,
  },
  ruby: { comments: comments('\\brubocop:(?:disable|todo)|:nocov:|\\bsteep:ignore|\\bsorbet:\\s*ignore|\\breek\\b') },
  php: {
    comments: comments('\\bphpcs:(?:ignore|disable)|@phpstan-ignore|@psalm-suppress|@codeCoverageIgnore|@phan-suppress'),
    code: /(?<![\w$)])@(?:\w+\(|\$)/,
  },
  shell,
  bats: shell,
}

/** Pages and styles: their comments are not told apart. */
const UNREAD = /\.(?:vue|svelte|astro|html|css|scss|less)$/
const UNREAD_FORM = /\b(?:eslint|stylelint)-disable|\bbiome-ignore|@ts-(?:ignore|expect-error|nocheck)\b/

/** Files whose every line tells a tool to look away. */
const isIgnoreList = matchesAny([
  '**/.eslintignore',
  '**/.stylelintignore',
  '**/.trivyignore',
  '**/.gitleaksignore',
  '**/.semgrepignore',
  '**/.nsprc',
  '**/.snyk',
  '**/audit-ci.json*',
  '**/.bandit',
])

export const codeSuppression: FindingRule = facts => {
  const views = viewsOf(facts)
  const moved = removedTexts(views)
  return views.flatMap(view =>
    addedLines(view).flatMap(({ line, text }) => {
      const measured = silencer(view, line - 1, text)
      return measured === null || takeOne(moved, text.trim()) ? [] : [finding('code.suppression', { path: view.path, line, measured })]
    }),
  )
}

function silencer({ path, now, isTest }: FileView, line: number, text: string): string | null {
  if (isIgnoreList(path)) return /^\s*(?:[#{}[\]].*)?$/.test(text) ? null : text.trim().slice(0, 80)
  if (/(?:^|\/)\.npmrc$/.test(path)) return /^\s*audit\s*=\s*false/.exec(text)?.[0].trim() ?? null
  if (!now) return (UNREAD.test(path) && UNREAD_FORM.exec(text)?.[0]) || null
  const { comments, code } = SILENCERS[now.language]
  const found = comments.exec(now.lineOf('comments', line))?.[0] ?? code?.exec(now.lineOf('code', line))?.[0] ?? null
  // In a test it asserts that the compiler refuses, and fails when it does not.
  return found !== null && isTest && /^@ts-expect-error$/i.test(found) ? null : found
}
