/** A secret that can be told by its form. `starts` are the texts at which it can begin; `form` is tried there and nowhere else.
 *  A group `value` at the end of the form is the secret, otherwise the whole match is. */
export interface Detector {
  id: string
  starts: string[]
  form: RegExp
  /** No word of the value and no reference excuses it. */
  always?: boolean
  /** Where the form fails, it fails for every later start in the same run of word characters and dashes. */
  failsForRun?: boolean
  /** Whole texts in two parts, so that this file holds nothing that looks like a live secret. */
  hits: [string, string][]
  misses: string[]
}

const sample = 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2fG4hJ6kL8nM0pR2tV4xZ6bC8dF0gH2j'
const hex = '0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9'

/** A token stands free: no word character on either side. */
const token = (form: string): RegExp => new RegExp(`(?<!\\w)(?:${form})(?!\\w)`, 'y')

/** The order decides which name a secret gets that two forms fit equally well. */
export const DETECTORS: Detector[] = [
  {
    id: 'private-key',
    starts: ['-----BEGIN '],
    form: /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y,
    always: true,
    hits: [
      ['-----BEGIN PRIVATE ', 'KEY-----\nMIIB\n-----END PRIVATE KEY-----'],
      ['-----BEGIN OPENSSH PRIVATE ', 'KEY-----\nexample without an end'],
    ],
    misses: ['-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----', '-----BEGIN CERTIFICATE-----'],
  },
  {
    id: 'aws-key-id',
    starts: ['AKIA', 'ASIA'],
    form: token('A[KS]IA[A-Z0-9]{16}'),
    hits: [['AKIA', 'Q3EGZJ5X7KMNPRST']],
    misses: ['AKIA', 'AKIAlowercase0000000', 'XAKIAQ3EGZJ5X7KMNPRST', 'AKIAIOSFODNN7EXAMPLE'],
  },
  {
    id: 'github',
    starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    form: token('gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\\w{22,255}'),
    hits: [
      ['ghp_', sample.slice(0, 36)],
      ['github_pat_', sample.slice(0, 30)],
    ],
    misses: ['ghp_short', 'github_pat_tern', 'ghp_<token>'],
  },
  { id: 'gitlab', starts: ['glpat-'], form: token('glpat-[\\w-]{20,}'), hits: [['glpat-', sample.slice(0, 20)]], misses: ['glpat-short'] },
  {
    id: 'slack',
    starts: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-', 'hooks.slack.com/services/'],
    form: token('xox[abeoprs]-[\\w-]{10,}|xapp-[\\w-]{10,}|hooks\\.slack\\.com/services/[\\w/]{20,}'),
    hits: [
      ['xoxb-', '123456789012-abcdefghij'],
      ['https://hooks.slack.com/services/', 'T0A1B2C3D/B4E5F6G7H/aB3dE5gH7jK9'],
    ],
    misses: ['xoxb-', 'xoxz-1234567890123', 'hooks.slack.com/services/'],
  },
  {
    id: 'stripe',
    starts: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    form: token('[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,}'),
    hits: [
      ['sk_live_', sample.slice(0, 24)],
      ['whsec_', sample.slice(0, 24)],
    ],
    misses: ['sk_live_short', 'task_test_abcdefghijklmnopq'],
  },
  {
    id: 'google',
    starts: ['AIza', 'GOCSPX-'],
    form: token('AIza[\\w-]{35}|GOCSPX-[\\w-]{28}'),
    hits: [
      ['AIza', sample.slice(0, 35)],
      ['GOCSPX-', sample.slice(0, 28)],
    ],
    misses: ['AIzaShort'],
  },
  { id: 'anthropic', starts: ['sk-ant-'], form: token('sk-ant-[\\w-]{20,}'), hits: [['sk-ant-', sample]], misses: ['sk-ant-short'] },
  {
    id: 'openai',
    starts: ['sk-'],
    form: token('sk-(?:proj-|svcacct-|admin-)?[\\w-]{20,}'),
    hits: [
      ['sk-', sample.slice(0, 32)],
      ['sk-proj-', sample],
    ],
    misses: ['sk-mock', 'task-aaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'sk-your-key-goes-here-please'],
  },
  {
    id: 'huggingface',
    starts: ['hf_'],
    form: token('hf_[A-Za-z0-9]{30,}'),
    hits: [['hf_', sample.slice(0, 34)]],
    misses: ['hf_hub_download'],
  },
  {
    id: 'npm',
    starts: ['npm_'],
    form: token('npm_[A-Za-z0-9]{36}'),
    hits: [['npm_', sample.slice(0, 36)]],
    misses: ['npm_config_registry', 'npm_lifecycle_event'],
  },
  { id: 'pypi', starts: ['pypi-'], form: token('pypi-[\\w-]{50,}'), hits: [['pypi-', sample]], misses: ['pypi-publish'] },
  {
    id: 'sendgrid',
    starts: ['SG.'],
    form: token('SG\\.[\\w-]{22}\\.[\\w-]{43}'),
    hits: [['SG.', `${sample.slice(0, 22)}.${sample.slice(0, 43)}`]],
    misses: ['SG.short.short'],
  },
  {
    id: 'twilio',
    starts: ['SK'],
    form: token('SK[0-9a-f]{32}'),
    hits: [['SK', hex.slice(0, 32)]],
    misses: ['SKILL', `XSK${hex.slice(0, 32)}`, `SK${hex.slice(0, 33)}`],
  },
  {
    id: 'digitalocean',
    starts: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    form: token('do[opr]_v1_[0-9a-f]{64}'),
    hits: [['dop_v1_', hex]],
    misses: ['dop_v1_0'],
  },
  {
    id: 'age',
    starts: ['AGE-SECRET-KEY-1'],
    form: token('AGE-SECRET-KEY-1[0-9A-Z]{58}'),
    hits: [['AGE-SECRET-KEY-1', 'Q'.repeat(58)]],
    misses: ['AGE-SECRET-KEY-1', 'age1qqqqqq'],
  },
  {
    id: 'jwt',
    starts: ['eyJ'],
    form: token('eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]{8,}'),
    failsForRun: true,
    hits: [['eyJhbGciOiJIUzI1NiJ9.', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P']],
    misses: ['eyJhbGciOiJIUzI1NiJ9', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIi'],
  },
  {
    id: 'azure',
    starts: ['AccountKey='],
    form: /AccountKey=(?<value>[^\s;"'\\]{8,512})/y,
    hits: [['DefaultEndpointsProtocol=https;AccountKey=', 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2f==;x']],
    misses: ['AccountKey=${KEY}', 'AccountKey='],
  },
  {
    id: 'url-password',
    starts: ['://'],
    // The password ends at the last @ before the path: it may hold one itself.
    form: /(?<=[A-Za-z0-9+.-]):\/\/[^\s:/@'"<>\\]{0,128}:(?<value>[^\s/'"<>\\]{1,256})(?=@)/y,
    hits: [['postgres://app:', 'hunter2@db.internal/x']],
    misses: ['https://x.io:8080/a@b', 'postgres://app:${PASSWORD}@db/x', 'ssh://git@host/repo', 'mysql://root:<password>@h'],
  },
]

/** Further services whose tokens begin with a word of their own, by what follows it. */
const SERVICE_TOKENS: [id: string, starts: string, rest: string, example: string, missed: string][] = [
  ['shopify', 'shpat_ shpca_ shppa_ shpss_ shptka_', '[0-9a-fA-F]{32}', hex.slice(0, 32), 'shpat_short'],
  ['linear', 'lin_api_ lin_oauth_', '[A-Za-z0-9]{32,}', sample.slice(0, 40), 'lin_api_key'],
  ['1password', 'ops_eyJ', '[\\w+/=-]{100,}', `${sample}${sample}`, 'ops_eyJshort'],
  ['npm-login', '_auth=', '[A-Za-z0-9+/]{16,}={0,2}', 'dXNlcjpodW50ZXIyMjIy', '_auth=${NPM_AUTH}'],
  ['docker', 'dckr_pat_', '[\\w-]{20,}', sample.slice(0, 27), 'dckr_pat_x'],
  ['grafana', 'glsa_ glc_', '[A-Za-z0-9_+/=-]{32,}', sample.slice(0, 41), 'glc_short'],
  ['hashicorp-vault', 'hvs. hvb. hvr.', '[\\w-]{24,}', sample, 'hvs.short'],
  ['doppler', 'dp.pt. dp.st. dp.sa. dp.ct.', '[\\w.-]{40,}', sample.slice(0, 43), 'dp.pt.short'],
  ['groq', 'gsk_', '[A-Za-z0-9]{40,}', sample.slice(0, 52), 'gsk_tasks'],
  ['xai', 'xai-', '[A-Za-z0-9]{60,}', sample, 'xai-grok-code'],
  ['perplexity', 'pplx-', '[A-Za-z0-9]{40,}', sample.slice(0, 48), 'pplx-online'],
  ['replicate', 'r8_', '[A-Za-z0-9]{37}', sample.slice(0, 37), 'r8_g8_unorm'],
  ['notion', 'ntn_', '[A-Za-z0-9]{40,}', sample.slice(0, 46), 'ntn_page'],
  ['figma', 'figd_', '[\\w-]{40,}', sample.slice(0, 43), 'figd_file'],
  ['supabase', 'sbp_', '[0-9a-f]{40}', hex.slice(0, 40), 'sbp_x'],
  ['sentry', 'sntrys_ sntryu_', '[\\w+/=-]{60,}', sample, 'sntrys_x'],
  ['tailscale', 'tskey-auth- tskey-api- tskey-client-', '[A-Za-z0-9-]{20,}', sample.slice(0, 30), 'tskey-auth-x'],
  ['postman', 'PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}', `${hex.slice(0, 24)}-${hex.slice(0, 34)}`, 'PMAK-x'],
  ['rubygems', 'rubygems_', '[0-9a-f]{48}', hex.slice(0, 48), 'rubygems_version'],
  ['databricks', 'dapi', '[0-9a-f]{32}', hex.slice(0, 32), 'dapi0'],
  ['new-relic', 'NRAK-', '[A-Z0-9]{27}', 'ABCDEFGH1JKLMNOPQRSTUVWXYZ0', 'NRAK-'],
  [
    'discord',
    'discord.com/api/webhooks/ discordapp.com/api/webhooks/',
    '\\d{17,20}/[\\w-]{60,}',
    `123456789012345678/${sample}`,
    'discord.com/api/webhooks/x',
  ],
]

const alternatives = (starts: string): string =>
  `(?:${starts
    .split(' ')
    .map(start => start.replaceAll('.', '\\.'))
    .join('|')})`

export const SERVICES: Detector[] = SERVICE_TOKENS.map(([id, starts, rest, example, missed]) => ({
  id,
  starts: starts.split(' '),
  form: token(id === 'npm-login' ? `_auth=(?<value>${rest})` : `${alternatives(starts)}${rest}`),
  hits: [[starts.split(' ')[0] ?? '', example]],
  misses: [missed],
}))

/** Begins with digits, which no list of starts can say. */
export const TELEGRAM: Detector = {
  id: 'telegram',
  starts: [],
  form: /(?<!\w)\d{8,10}:[\w-]{35}(?!\w)/g,
  hits: [['123456789:', sample.slice(0, 35)]],
  misses: ['12:34:56', '123456789:short', `1234567:${sample.slice(0, 35)}`],
}

/** Two words that may stand in any spelling. */
export const AUTH_HEADER: Detector = {
  id: 'auth-header',
  starts: [],
  form: /authorization\\{0,3}["'`]?[ \t]{0,8}[:=,][ \t]{0,8}\\{0,3}["'`]?(?:bearer|basic|token)[ \t]{1,8}(?<value>[^\s"'`,;\\]{4,4096})/giy,
  hits: [
    ['Authorization: Bearer ', 'abc123def456'],
    ['"authorization": "Basic ', 'dXNlcjpwdw=="'],
  ],
  misses: [
    'Authorization: Bearer $TOKEN',
    'Authorization: Bearer ${token}',
    'Authorization: Bearer <token>',
    'authorization of bearer bonds',
  ],
}
