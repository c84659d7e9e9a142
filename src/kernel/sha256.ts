let hash: typeof import('node:crypto').hash | undefined

/** SHA-256 in hex. Loads node:crypto at its first use: that costs as much as a short command may take, and most never hash. */
export function sha256(data: string | Uint8Array): string {
  hash ??= process.getBuiltinModule('node:crypto').hash
  return hash('sha256', data)
}
