import { z } from 'zod'

/**
 * The partial form of a writable shape, for PATCH. zod's own `partial()` keeps defaults, so that an empty PATCH would reset
 * fields; here an omitted field stays absent.
 */
export const changesOf = <S extends z.ZodRawShape>(fields: z.ZodObject<S>) => {
  const shape = Object.fromEntries(
    Object.entries(fields.shape).map(([key, type]) => {
      const field = type as unknown as z.ZodType
      const changed = (field instanceof z.ZodDefault ? (field.unwrap() as z.ZodType) : field).optional()
      return [key, field.description === undefined ? changed : changed.describe(field.description)]
    }),
  )
  return z.strictObject(shape) as unknown as z.ZodObject<{ [K in keyof S]: z.ZodOptional<S[K]> }, z.core.$strict>
}

/** The record with the given fields replaced; a field given as `undefined` is left as it was, as if omitted. */
export const merged = <T extends object>(record: T, changes: { readonly [K in keyof T]?: T[K] | undefined }): T => ({
  ...record,
  ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
})

/** The record without that field. */
export const without = <T extends object, K extends keyof T>(record: T, ...keys: readonly K[]): Omit<T, K> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key as K))) as Omit<T, K>
