import * as z from 'zod'

export const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const TIME_LENGTH = 10
export const RANDOM_LENGTH = 16

/** Every kind of id has its prefix, so that one kind is never taken for another in a log, a flag or a table. */
export type IdPrefix = 'prj' | 'con' | 'sub' | 'run' | 'bak' | 'prf' | 'att' | 'apr'

export type Id<P extends IdPrefix> = `${P}_${string}` & { readonly __id: P }
export type ProjectId = Id<'prj'>
export type ConnectionId = Id<'con'>
export type RunId = Id<'run'>
export type ProofId = Id<'prf'>

export function isId<P extends IdPrefix>(prefix: P, value: unknown): value is Id<P> {
  return typeof value === 'string' && new RegExp(`^${prefix}_[${ALPHABET}]{${TIME_LENGTH + RANDOM_LENGTH}}$`).test(value)
}

export function idSchema<P extends IdPrefix>(prefix: P) {
  return z.string().refine(value => isId(prefix, value), `expected an id that starts with ${prefix}_`)
}
