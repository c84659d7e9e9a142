/** F-42 to F-44: what a proof does not show. Printed with every report that may be read elsewhere. */
export const PROOF_LIMITS: readonly string[] = [
  'It shows that this command behaved so on this tree, here, then. It does not show that the command tests what was meant, that the ' +
    'code is good, secure or unsurprising elsewhere, or that tests which the worker wrote are complete. Findings about weakened tests ' +
    'and about code are heuristic: they can miss and can err. Only exit codes, digests, scope and protected files are exact.',
  'The key is local: whoever controls the user account can sign anything. Without bubblewrap a hostile worker might have read it; ' +
    'a check can ask for isolation.',
  "Times are the machine's own. Git ids may be SHA-1; dirHash is SHA-256. Submodules and LFS content are judged as git stores them. " +
    'Speed is not measured.',
]

export const PROOF_LIMIT_IN_SHORT =
  'It shows that this command behaved so on this tree, here, then; docs/proof.md says what it does not show.'
