type Json = null | boolean | number | string | readonly Json[] | JsonObject
type JsonObject = { readonly [key: string]: Json }

const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

/** Characters. Longer defaults belong to objects, whose fields state their own. */
const longestDefault = 60

const saying = (schema: JsonObject, standard: Json): JsonObject => {
  const text = JSON.stringify(standard)
  if (text.length > longestDefault) return schema
  const { description } = schema
  const unless = `Default: \`${text}\``
  return { ...schema, description: typeof description === 'string' ? `${description}. ${unless}` : unless }
}

/** With `default`, generators would require clients to send the property. */
const withoutDefault = (schema: Json, isRequired: boolean): Json => {
  if (!isObject(schema) || schema.default === undefined) return schema
  const { default: standard, ...rest } = schema
  return isRequired ? rest : saying(rest, standard)
}

const propertiesOf = ({ properties, required = [] }: JsonObject): JsonObject =>
  isObject(properties)
    ? {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, schema]) => [
            name,
            withoutDefault(schema, Array.isArray(required) && required.includes(name)),
          ]),
        ),
      }
    : {}

/** Portable patterns, defaults as text, no empty `propertyNames`. */
export const portableJsonSchema = (json: Json): Json => {
  if (Array.isArray(json)) return json.map(portableJsonSchema)
  if (!isObject(json)) return json
  const { propertyNames, ...rest } = { ...json, ...propertiesOf(json) }
  const saysNothing = isObject(propertyNames) && JSON.stringify(propertyNames) === '{"type":"string"}'
  return Object.fromEntries(
    Object.entries(saysNothing || propertyNames === undefined ? rest : { ...rest, propertyNames }).map(
      ([key, part]) => [
        key,
        key === 'pattern' && typeof part === 'string' ? portablePattern(part) : portableJsonSchema(part),
      ],
    ),
  )
}

/** ECMAScript's escapes as characters. */
const classes: Readonly<Record<string, string>> = {
  d: '0-9',
  w: 'A-Za-z0-9_',
  s: ' \\t\\n\\r\\f\\v',
  'p{Cc}': '\\x00-\\x1f\\x7f-\\x9f',
  '0': '\\x00',
}

const token = /\\P\{Cc\}|\\p\{Cc\}|\\[\s\S]|[\s\S]/g

/** For ECMAScript, Python, Rust and Java: no class escapes, no lookahead for the length. */
export const portablePattern = (pattern: string): string => {
  let inClass = false
  return (pattern.replace(/^\^\(\?=\.\{1,\d+\}\$\)/, '^').match(token) ?? [])
    .map((one) => {
      if (one === '\\P{Cc}') return '[^\\x00-\\x1f\\x7f-\\x9f]'
      if (one === '[' && !inClass) inClass = true
      else if (one === ']') inClass = false
      const spelled = one.startsWith('\\') ? classes[one.slice(1)] : undefined
      if (spelled === undefined) return one === '\\/' ? '/' : one
      return inClass || one === '\\0' ? spelled : `[${spelled}]`
    })
    .join('')
}
