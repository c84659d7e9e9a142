/** What stays on this machine in `.qed/`: state, secrets of the server, and files made from others. As git's ignore files have it. */
export const LOCAL_NAMES: readonly string[] = [
  'policy.local.json',
  'qed.db*',
  'server.json',
  '*.tmp',
  '*.partial',
  'config.schema.json',
  'blobs/',
  'backups/',
  'proofs/',
  'plans/',
  'missions/',
]

const PATTERN = new RegExp(`^(${LOCAL_NAMES.map(name => name.replace(/\/$/, '').replaceAll('.', '\\.').replaceAll('*', '.*')).join('|')})$`)

/** Whether something directly in `.qed/` is QED's own record, which no saved state of the project may bring back. */
export function isLocalName(name: string): boolean {
  return PATTERN.test(name)
}
