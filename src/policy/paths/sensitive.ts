import { expandBraces } from '../patterns/braces.ts'
import { compilePathPattern, type PathPattern, partsOf } from '../patterns/path-pattern.ts'
import { compileWildcard } from '../patterns/wildcard.ts'
import { foldName } from './names.ts'

const words = (...lines: string[]): string[] => lines.flatMap(line => line.split(' '))

/** Names whose content is secret. Patterns without `/` match a name in any folder; `home` ones stand below the home. */
interface SensitiveRow {
  id: string
  patterns: string[]
  except?: string[]
  below: 'anywhere' | 'home'
  hits: string[]
  misses: string[]
}

export const SENSITIVE_ROWS: SensitiveRow[] = [
  {
    id: 'env',
    patterns: ['.env', '.env.*'],
    except: ['.env.{example,sample,template,dist}'],
    below: 'anywhere',
    hits: ['.env', 'a/.env.local', '.ENV', '.env.', '.e\u200bnv', '.env.example.local'],
    misses: ['.env.example', '.envrc', 'env', 'a.env'],
  },
  {
    id: 'key-file',
    patterns: ['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdbx', '*.ppk'],
    below: 'anywhere',
    hits: ['server.pem', 'a/b/tls.key', 'X.P12'],
    misses: ['key.ts', 'pem', 'a.key.md'],
  },
  {
    id: 'ssh-key',
    patterns: ['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*'],
    except: ['*.pub'],
    below: 'anywhere',
    hits: ['id_rsa', 'keys/id_ed25519.old'],
    misses: ['id_rsa.pub', 'my_id_rsa.txt'],
  },
  {
    id: 'login',
    patterns: words(
      '.netrc _netrc .pgpass .npmrc .pypirc .git-credentials .htpasswd',
      'credentials credentials.json service-account*.json *.tfstate*',
    ),
    below: 'anywhere',
    hits: ['.npmrc', 'app/credentials.json', 'service-account-prod.json', 'infra/main.tfstate.backup'],
    misses: ['credentials.ts', 'npmrc', 'service.json'],
  },
  {
    id: 'secrets-folder',
    patterns: ['**/.secrets/**', '**/secrets/*.{yml,yaml,json,env,txt,enc}'],
    below: 'anywhere',
    hits: ['.secrets/a', 'deploy/.secrets/b/c', 'k8s/secrets/db.yaml'],
    misses: ['src/secrets/redact.ts', 'secrets/a/b.json'],
  },
  {
    id: 'vault',
    patterns: ['**/.qed/vault/**'],
    below: 'anywhere',
    hits: ['.qed/vault/secrets.age', '.QED/vault'],
    misses: ['.qed/config.json', 'vault/a'],
  },
  {
    id: 'home',
    patterns: words(
      '.ssh/** .gnupg/** .aws/** .azure/** .config/gcloud/** .config/gh/** .kube/config .docker/config.json',
      '.claude/** .codex/** .pi/agent/auth*',
    ),
    below: 'home',
    hits: ['.ssh/config', '.aws/credentials', '.SSH/known_hosts', '.kube/config', '.pi/agent/auth.json'],
    misses: ['.config/git/config', 'ssh/config', '.kube/cache/x'],
  },
  {
    id: 'browser',
    patterns: [
      '.mozilla/**',
      '.config/{google-chrome,chromium,BraveSoftware,microsoft-edge,vivaldi,opera}*/**',
      'snap/{firefox,chromium}/**',
      '.var/app/{org.mozilla,com.google.Chrome,org.chromium}*/**',
      'Library/Application Support/{Firefox,Google,BraveSoftware,Microsoft Edge,Arc}/**',
      'Library/{Safari,Cookies,Keychains}/**',
      '.local/share/{keyrings,kwalletd}/**',
      '.password-store/**',
      'AppData/{Local,Roaming}/{Google,Mozilla,Microsoft/{Credentials,Protect,Edge}}/**',
    ],
    below: 'home',
    hits: ['.mozilla/firefox/x/logins.json', 'Library/Keychains/login.keychain-db', '.local/share/keyrings/login.keyring'],
    misses: ['.config/qed/config.json', 'Library/Logs/a.log'],
  },
]

const compileFolded = (pattern: string): PathPattern => compilePathPattern(pattern, { fold: foldName, nameAnywhere: true })
const compiled = SENSITIVE_ROWS.map(({ id, patterns, except = [], below }) => ({
  id,
  below,
  patterns: patterns.map(compileFolded),
  except: except.map(compileFolded),
}))

export interface SensitiveQuestion {
  real: string
  /** From the root that holds it, for patterns that a layer added. */
  relative: string | null
  home: string
  /** Further patterns of any layer. */
  added: PathPattern[]
  /** Exact real paths that the person's own config says are not secret. */
  excepted: string[]
}

export type Sensitivity = { kind: 'sensitive'; row: string; pattern: string } | { kind: 'excepted'; row: string } | null

/** Whether the content of a path is secret by its name. */
export function sensitivityOf(question: SensitiveQuestion): Sensitivity {
  const found = byRow(question) ?? byAddition(question)
  if (!found) return null
  return question.excepted.includes(question.real) ? { kind: 'excepted', row: found.row } : { kind: 'sensitive', ...found }
}

export const compileSensitive = compileFolded

// A path can match only where it holds a word that the pattern spells out; nearly all paths hold none, and whole trees are asked
// about. The longest word of each alternative, in one expression, looked for in what needs no folding but that of case.
const WORDS = new RegExp([...new Set(SENSITIVE_ROWS.flatMap(({ patterns }) => patterns.flatMap(wordsIn)))].map(escaped).join('|'), 'i')
const UNDISGUISED = /^[\x21-\x7d]*$/

function wordsIn(pattern: string): string[] {
  return expandBraces(pattern).map(alternative => alternative.split(/[*?/[\]]+/).reduce((a, b) => (b.length > a.length ? b : a)))
}

function escaped(word: string): string {
  return word.replace(/[.+^$()|\\{}]/g, '\\$&')
}

function byRow({ real, home }: SensitiveQuestion): { row: string; pattern: string } | null {
  if (UNDISGUISED.test(real) && !WORDS.test(real)) return null
  const parts = partsOf(real).map(foldName)
  const belowHome = real.startsWith(`${home}/`) ? parts.slice(partsOf(home).length) : null
  for (const { id, below, patterns, except } of compiled) {
    const seen = below === 'home' ? belowHome : parts
    if (seen === null) continue
    const hit = patterns.find(pattern => pattern.matchesParts(seen))
    if (hit && !except.some(pattern => pattern.matchesParts(seen))) return { row: id, pattern: hit.text }
  }
  return null
}

function byAddition({ relative, added }: SensitiveQuestion): { row: string; pattern: string } | null {
  const hit = relative === null ? undefined : added.find(pattern => pattern.matches(relative))
  return hit ? { row: 'added', pattern: hit.text } : null
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const SECRET_NAMES = SENSITIVE_ROWS.filter(row => row.below === 'anywhere').flatMap(row => row.hits.map(lastPart))

/** Whether a pattern was made for the name of a secret file. One that takes everything of a folder is not, and one that is secret
 *  as it stands is judged so. `showsHidden`: a leading wildcard matches a leading dot too. */
export function mayNameSecret(pattern: string, { showsHidden = false } = {}): boolean {
  const name = lastPart(pattern)
  if (!/[*?[]/.test(name) || /^\*+$/.test(name)) return false
  if (sensitivityOf({ real: pattern, relative: null, home: '/', added: [], excepted: [] })) return false
  const fits = compileWildcard(name, { classes: true })
  return SECRET_NAMES.some(secret => fits(secret) && (showsHidden || name.startsWith('.') || !secret.startsWith('.')))
}
