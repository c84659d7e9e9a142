import { timingSafeEqual } from 'node:crypto'
import { RateLimit } from '../rate-limit.ts'

/** What of a request says where it comes from and what lets it in. */
export interface Credentials {
  host: string | undefined
  origin: string | undefined
  authorization: string | undefined
  /** `Sec-WebSocket-Protocol`, where a browser-like client has to put its token. */
  protocols: string | undefined
}

export type Verdict = { ok: true } | { ok: false; status: 401 | 403 | 421 | 429; code: string; message: string }

const WRONG_TOKENS = { most: 10, spanMs: 60_000 }

/** Lets a request in, or says why not: first the address it was sent to, then the page it comes from, then its token. */
export class Guard {
  readonly #token: Buffer
  readonly #hosts: Set<string>
  readonly #origins: Set<string>
  readonly #wrongTokens: RateLimit

  constructor(server: { token: string; hosts: string[]; scheme: 'http' | 'https' }) {
    this.#token = Buffer.from(server.token)
    this.#hosts = new Set(server.hosts)
    this.#origins = new Set(server.hosts.map(host => `${server.scheme}://${host}`))
    this.#wrongTokens = new RateLimit(WRONG_TOKENS)
  }

  /** The checks that also hold for what needs no token. */
  checkPlace({ host, origin }: Pick<Credentials, 'host' | 'origin'>): Verdict {
    if (!host || !this.#hosts.has(host.toLowerCase())) {
      return refused(421, 'denied', 'This server answers only to its own address.')
    }
    if (origin !== undefined && !this.#origins.has(origin.toLowerCase())) {
      return refused(403, 'denied', 'Pages of other sites may not call this server.')
    }
    return { ok: true }
  }

  check(credentials: Credentials): Verdict {
    const place = this.checkPlace(credentials)
    if (!place.ok) return place
    if (this.#wrongTokens.isReached()) return refused(429, 'busy', 'Too many wrong tokens. Wait a minute.')
    const tokens = offeredTokens(credentials)
    if (tokens.some(token => sameToken(Buffer.from(token), this.#token))) return { ok: true }
    // Only a token that was tried counts: any page can make a browser send requests without one.
    if (tokens.length > 0) this.#wrongTokens.add()
    return refused(401, 'denied', 'A token is needed: it stands in .qed/server.json of the project.')
  }
}

function offeredTokens({ authorization, protocols }: Credentials): string[] {
  const offered = [
    /^Bearer (.+)$/.exec(authorization ?? '')?.[1],
    ...(protocols ?? '').split(',').map(protocol => /^qed\.token\.(.+)$/.exec(protocol.trim())?.[1]),
  ]
  return offered.filter(token => token !== undefined)
}

function sameToken(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

function refused(status: 401 | 403 | 421 | 429, code: string, message: string): Verdict {
  return { ok: false, status, code, message }
}
