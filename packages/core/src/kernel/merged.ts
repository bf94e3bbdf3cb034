import { z } from 'zod'

/** In a PATCH, an omitted field stays unchanged and null unsets it. */
type Change<T> =
  T extends z.ZodOptional<infer I extends z.ZodType>
    ? z.ZodOptional<z.ZodNullable<I>>
    : T extends z.ZodDefault<infer I extends z.ZodType>
      ? z.ZodOptional<z.ZodType<z.output<I>, z.input<I> | null>>
      : T extends z.ZodType
        ? z.ZodOptional<T>
        : never

const innerOf = (field: z.ZodType): z.ZodType =>
  field instanceof z.ZodOptional || field instanceof z.ZodDefault ? (field.unwrap() as z.ZodType) : field

const changeOf = (field: z.ZodType): z.ZodType => {
  if (field instanceof z.ZodOptional) return innerOf(field).nullable().optional()
  if (!(field instanceof z.ZodDefault)) return field.optional()
  const standard: unknown = field.def.defaultValue
  return innerOf(field)
    .nullable()
    .transform((value) => value ?? structuredClone(standard))
    .optional()
}

/** The shape for PATCH. zod's `partial()` applies defaults, so an empty PATCH would reset fields. */
export const changesSchemaOf = <S extends z.ZodRawShape>(fields: z.ZodObject<S>) => {
  const shape = Object.fromEntries(
    Object.entries(fields.shape).map(([key, type]) => {
      const field = type as unknown as z.ZodType
      const changed = changeOf(field)
      const description = field.description ?? innerOf(field).description
      return [key, description === undefined ? changed : changed.describe(description)]
    }),
  )
  return z.strictObject(shape) as unknown as z.ZodObject<{ [K in keyof S]: Change<S[K]> }, z.core.$strict>
}

/** `undefined` leaves a field unchanged, null removes it. */
export const merged = <T extends object>(
  record: T,
  changes: { readonly [K in keyof T]?: T[K] | null | undefined },
): T => {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const unset = given.filter(([, value]) => value === null).map(([key]) => key as keyof T)
  return without({ ...record, ...Object.fromEntries(given) }, ...unset) as T
}

type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T]

/** Without optional keys, it is still a record of its type. */
export function without<T extends object>(record: T, ...keys: readonly OptionalKey<T>[]): T
export function without<T extends object, K extends keyof T>(record: T, ...keys: readonly K[]): Omit<T, K>
export function without(record: object, ...keys: readonly PropertyKey[]): object {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)))
}
