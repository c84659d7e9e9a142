/** A secret that can be told from its own shape, wherever it stands. Each rule carries examples that a test checks. */
export interface SecretRule {
  id: string
  pattern: RegExp
  /** Whole texts, written in two parts so that this file holds nothing that looks like a live secret. */
  hits: [string, string][]
  misses: string[]
}

const b = '(?<![A-Za-z0-9_-])'
const e = '(?![A-Za-z0-9_-])'
const letters = 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2fG4hJ6k'

export const secretRules: SecretRule[] = [
  {
    id: 'private-key',
    pattern: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|$)/g,
    hits: [['-----BEGIN PRIVATE ', 'KEY-----\nMIIB\n-----END PRIVATE KEY-----']],
    misses: ['-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----'],
  },
  {
    id: 'age-key',
    pattern: /AGE-SECRET-KEY-1[A-Z0-9]{58}/g,
    hits: [['AGE-SECRET-KEY-1', 'Q'.repeat(58)]],
    misses: ['AGE-SECRET-KEY-1', 'age1qqqqqq'],
  },
  {
    id: 'model-provider-key',
    pattern: new RegExp(`${b}sk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_-]{20,}${e}`, 'g'),
    hits: [
      ['sk-', letters.slice(0, 32)],
      ['sk-ant-', letters],
    ],
    misses: ['sk-mock', 'task-aaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'sk-learn'],
  },
  {
    id: 'github-token',
    pattern: new RegExp(`${b}(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})${e}`, 'g'),
    hits: [['ghp_', letters.slice(0, 36)]],
    misses: ['ghp_short', 'github_pattern_matching_rules_for_all'],
  },
  {
    id: 'aws-key-id',
    pattern: new RegExp(`${b}(?:AKIA|ASIA)[A-Z2-7]{16}${e}`, 'g'),
    hits: [['AKIA', 'Q3EGZJ5X7KMNPRST']],
    misses: ['AKIA', 'AKIAlowercase0000000'],
  },
  {
    id: 'google-key',
    pattern: new RegExp(`${b}AIza[A-Za-z0-9_-]{35}${e}`, 'g'),
    hits: [['AIza', letters.slice(0, 35)]],
    misses: ['AIzaShort'],
  },
  {
    id: 'slack-token',
    pattern: new RegExp(`${b}xox[abeoprs]-[A-Za-z0-9-]{10,}${e}`, 'g'),
    hits: [['xoxb-', '123456789012-abcdefghij']],
    misses: ['xoxb-'],
  },
  {
    id: 'npm-token',
    pattern: new RegExp(`${b}npm_[A-Za-z0-9]{36}${e}`, 'g'),
    hits: [['npm_', letters.slice(0, 36)]],
    misses: ['npm_config_registry', 'npm_lifecycle_event'],
  },
  {
    id: 'jwt',
    pattern: new RegExp(`${b}eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{16,}${e}`, 'g'),
    hits: [['eyJhbGciOiJIUzI1NiJ9.', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P']],
    misses: ['eyJhbGciOiJIUzI1NiJ9'],
  },
  {
    id: 'password-in-url',
    pattern: /(?<=[a-z][a-z0-9+.-]{1,15}:\/\/[^\s:/@'"<>]{1,64}:)[^\s/@'"<>{}$]{3,128}(?=@)/g,
    hits: [['postgres://app:', 'hunter2@db.internal/x']],
    misses: ['https://example.com:8080/a@b', 'postgres://app:${PASSWORD}@db/x', 'ssh://git@host/repo'],
  },
]
