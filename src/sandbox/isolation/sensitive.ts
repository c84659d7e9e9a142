import { basename } from 'node:path'
import { matchesAny, parseGlobs } from '../scope/glob.ts'

/** Whether the content of a file must not be seen by a worker, told by its absolute path. */
export type IsSensitive = (path: string) => boolean

const NAMES = parseGlobs([
  '.env',
  '.env.*',
  '*.{pem,key,p12,pfx,jks,keystore,kdbx,ppk}',
  'id_{rsa,dsa,ecdsa,ed25519}*',
  '{.netrc,_netrc,.pgpass,.npmrc,.pypirc,.git-credentials,.htpasswd,credentials,credentials.json}',
  'service-account*.json',
  '*.tfstate*',
])
const FREE_NAMES = parseGlobs(['.env.{example,sample,template,dist}', 'id_{rsa,dsa,ecdsa,ed25519}*.pub'])
const PATHS = parseGlobs(['**/.secrets/**', '**/secrets/*.{yml,yaml,json,env,txt,enc}', '**/.qed/vault/**'])

/** By the names that are sensitive everywhere. What a person adds or excepts comes with the policy that is handed in. */
export const isSensitiveName: IsSensitive = path => {
  const name = basename(path)
  return (matchesAny(NAMES, name) && !matchesAny(FREE_NAMES, name)) || matchesAny(PATHS, path)
}
