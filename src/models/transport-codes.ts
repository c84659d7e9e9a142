const BROKEN = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

const TLS = /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO$)/
const UNKNOWN_ISSUER = /^(SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/

/** The code of a connection that could not be made or broke. */
export function connectionCode(thrown: unknown): string | undefined {
  return codesOf(thrown).find(code => BROKEN.has(code))
}

/** What to do where a server's certificate is not to be trusted; no second try would help. */
export function tlsAdvice(thrown: unknown): string | undefined {
  const code = codesOf(thrown).find(name => TLS.test(name))
  if (code === undefined) return undefined
  if (UNKNOWN_ISSUER.test(code))
    return `The certificate of the server has an issuer that is not known here (${code}). Set NODE_EXTRA_CA_CERTS to a file with the issuer’s certificate.`
  const said = thrown instanceof Error ? thrown.message.split('\n')[0] : ''
  return `No safe connection to the server could be made (${code}): ${said}`
}

function codesOf(thrown: unknown): string[] {
  const codes: string[] = []
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ('code' in at && typeof at.code === 'string') codes.push(at.code)
  return codes
}
