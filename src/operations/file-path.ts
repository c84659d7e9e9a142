import * as z from 'zod'

/** A path as a caller may send it; the system would cut it at the first NUL or refuse it in its own words. */
export const FilePath = z
  .string()
  .min(1)
  .max(4096)
  .refine(path => !path.includes('\0'), 'a path holds no NUL character')
