import * as z from 'zod'
import type { Prices } from '../usage.ts'

// What is known about models as data: the embedded snapshot and what `models.refresh` reads have the same shape.

/** US dollars per million tokens, by kind. */
const PricesSchema = z.strictObject({
  in: z.number().nonnegative(),
  out: z.number().nonnegative(),
  cached_in: z.number().nonnegative().optional(),
  write_in: z.number().nonnegative().optional(),
})

const KnownModelSchema = z.strictObject({
  provider: z.string().min(1),
  model: z.string().min(1),
  context: z.int().positive(),
  reply: z.int().positive().optional(),
  prices: PricesSchema.optional(),
})

export const CatalogueFile = z.strictObject({
  $schema: z.string().optional(),
  at: z.iso.date(),
  models: z.array(KnownModelSchema).max(10_000),
})

export interface KnownModel {
  /** A name of the table of model providers. */
  provider: string
  /** As the model provider names it. */
  model: string
  /** Tokens that it can see. */
  context: number
  /** Most tokens of one reply. */
  reply?: number | undefined
  /** None: not known, and then its cost is not known either. */
  prices?: Prices | undefined
}

export interface ModelCatalogue {
  /** The day on which these figures were taken. */
  at: string
  models: readonly KnownModel[]
}
