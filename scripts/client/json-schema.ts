export type JsonSchema = {
  readonly $ref?: string
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly propertyNames?: JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

export type Schemas = Readonly<Record<string, JsonSchema>>

export const nameOfRef = (ref: string): string => ref.slice('#/components/schemas/'.length)

/** A TSDoc comment, or nothing. */
export const docOf = (...parts: readonly (string | undefined)[]): string => {
  const lines = parts
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n')
    .replaceAll('*/', '*\\/')
    .split('\n')
  if (lines[0] === '') return ''
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

const isName = /^[A-Za-z_$][\w$]*$/
export const keyOf = (key: string): string => (isName.test(key) ? key : JSON.stringify(key))

const isEmpty = (schema: JsonSchema) => Object.keys(schema).every((key) => key === 'description')

/** Objects and unions keep their names; `Id` and the like become plain texts. */
export const isNamed = (schema: JsonSchema): boolean => schema.properties !== undefined || schema.oneOf !== undefined

/** TypeScript of the schemas of an OpenAPI document; `rename` gives the name of a component. */
export const typesOf = (schemas: Schemas, rename: (name: string) => string) => {
  const union = (types: readonly string[]) => {
    const all = [...new Set(types)]
    const isCovered = (type: string) => type.startsWith('"') && all.includes('string')
    return all.includes('unknown') ? 'unknown' : all.filter((type) => !isCovered(type)).join(' | ')
  }

  const member = (schema: JsonSchema, key: string, isRequired: boolean): string => {
    const referred = schema.$ref === undefined ? undefined : schemas[nameOfRef(schema.$ref)]
    const doc = docOf(schema.description ?? (referred && !isNamed(referred) ? referred.description : undefined))
    return `${doc}${keyOf(key)}${isRequired ? '' : '?'}: ${union([typeOf(schema), ...(isRequired ? [] : ['undefined'])])}`
  }

  const membersOf = ({ properties = {}, required = [] }: JsonSchema): readonly string[] =>
    Object.entries(properties).map(([key, schema]) => member(schema, key, required.includes(key)))

  /** All keys of an enum are there if they are required. */
  const recordOf = ({ propertyNames, required }: JsonSchema, values: JsonSchema): string => {
    const record = `Record<${propertyNames ? typeOf(propertyNames) : 'string'}, ${typeOf(values)}>`
    return propertyNames?.enum && !required ? `Partial<${record}>` : record
  }

  /** `{ … }`, and what further keys may hold. */
  const objectOf = (schema: JsonSchema): { readonly members: readonly string[]; readonly others?: string } => {
    const { additionalProperties } = schema
    const members = membersOf(schema)
    if (typeof additionalProperties !== 'object') return { members }
    if (members.length > 0 && isEmpty(additionalProperties)) return { members: [...members, '[key: string]: unknown'] }
    return { members, others: recordOf(schema, additionalProperties) }
  }

  const ofObject = (schema: JsonSchema): string => {
    const { members, others } = objectOf(schema)
    if (others !== undefined) return members.length === 0 ? others : `{\n${members.join('\n')}\n} & ${others}`
    return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('\n')}\n}`
  }

  const typeOf = (schema: JsonSchema): string => {
    const { $ref, const: constant, enum: values, type, items, anyOf, oneOf, properties } = schema
    if ($ref !== undefined) {
      const name = nameOfRef($ref)
      const referred = schemas[name]
      if (!referred) throw new Error(`There is no schema ${name}`)
      return isNamed(referred) ? rename(name) : typeOf(referred)
    }
    if (constant !== undefined) return JSON.stringify(constant)
    if (values) return union(values.map((value) => JSON.stringify(value)))
    const parts = properties ? undefined : (anyOf ?? oneOf)
    if (parts) return union(parts.map(typeOf))
    if (typeof type !== 'string' && type !== undefined)
      return union(type.map((one) => typeOf({ ...schema, type: one })))
    switch (type) {
      case 'string':
        return schema.format === 'binary' ? 'FileInput' : type
      case 'boolean':
      case 'null':
        return type
      case 'integer':
      case 'number':
        return 'number'
      case 'array':
        return `(${typeOf(items ?? {})})[]`
      case 'object':
        return ofObject(schema)
      default:
        return 'unknown'
    }
  }

  /** `export interface Name { … }`, or a type. */
  const declarationOf = (name: string, schema: JsonSchema): string => {
    const doc = docOf(schema.description)
    const { members, others } = schema.properties ? objectOf(schema) : { others: '', members: [] }
    return others === undefined
      ? `${doc}export interface ${name} {\n${members.join('\n')}\n}`
      : `${doc}export type ${name} = ${typeOf(schema)}`
  }

  return { typeOf, declarationOf }
}
