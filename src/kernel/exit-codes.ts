/** One table from an error's code to its exit code; every surface derives its own answer (HTTP status, RPC code, MCP form)
 *  from the exit code, so that a new code is one word in one row. */
const CODES_BY_EXIT: Record<number, string> = {
  1: 'internal integrity failed disk_full',
  2: 'usage invalid_input unsupported too_large empty_content outcome_mismatch',
  3: 'not_found project_unknown',
  4: 'denied actor_not_person not_owner role.forbidden preflight-incomplete',
  5: 'approval_required',
  6: 'not_proven',
  7: 'budget',
  8:
    'blocked not_ready conflict stale_revision stale_version stale_plan digest_mismatch already_resolved already_closed illegal_transition ' +
    'run_terminal attempt_open fence_lost not_resumable approval_not_resumable base_moved drift cleanup.unsaved',
  9: 'unavailable no_model no_price auth_missing endpoint_missing isolation_unavailable migration_needed busy vault-unreadable backup-unproven sandbox_failed',
  10: 'timeout',
  130: 'cancelled',
}

export const EXIT_MEANINGS: Record<number, string> = {
  0: 'done',
  1: 'failed, or found failures',
  2: 'wrong use',
  3: 'not there',
  4: 'refused',
  5: 'a person must decide',
  6: 'not proven',
  7: 'too dear',
  8: 'the state does not allow it',
  9: 'could not be done or measured here',
  10: 'took too long',
  130: 'interrupted',
}

const EXIT_BY_CODE = new Map(
  Object.entries(CODES_BY_EXIT).flatMap(([exit, codes]) => codes.split(' ').map(code => [code, Number(exit)] as const)),
)

export function exitCodeOf(code: string): number {
  return EXIT_BY_CODE.get(code) ?? 1
}
