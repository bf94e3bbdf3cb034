import { Html, html } from '@posthorn/core/ports/transport'

export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: unknown
}

const named = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

const joined = (parts: readonly Html[], between: string): Html => new Html(parts.map(({ text }) => text).join(between))

/** Schemas whose name suffices. */
const plain = new Set(['Id', 'Instant', 'EmailAddress'])

export const schemaTypeHtml = (schema: Schema): Html => {
  const { $ref, type, format, items, anyOf, oneOf } = schema
  if ($ref) {
    const name = named($ref)
    return plain.has(name) ? html`${name}` : html`<a href="#schema-${name}">${name}</a>`
  }
  const choices = anyOf ?? oneOf
  if (choices && !type) return joined(choices.map(schemaTypeHtml), ' or ')
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (type === 'array') return html`list of ${schemaTypeHtml(items ?? {})}`
  if (type === 'string' && format === 'binary') return html`file`
  return html`${type ?? 'any'}`
}

/** The API's largest number is no real limit. */
const bound = (n: number | undefined) => (n !== undefined && n < 999_999_999_999_999 ? n : undefined)

const limitsOf = (schema: Schema): readonly string[] => {
  const { minLength, maxLength, minItems, maxItems, default: standard } = schema
  const [least, most] = [bound(schema.minimum), bound(schema.maximum)]
  const range = (from: number | undefined, to: number | undefined, what: string) => {
    if (from !== undefined && to !== undefined) return [`${from} to ${to}${what}`]
    if (to !== undefined) return [`at most ${to}${what}`]
    return from !== undefined && !(from === 0 && what !== '') ? [`at least ${from}${what}`] : []
  }
  return [
    ...range(least, most, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...(standard === undefined ? [] : [`default ${JSON.stringify(standard)}`]),
  ]
}

/** Code stands between backticks. */
export const prose = (text: string): Html =>
  joined(
    text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`)),
    '',
  )

const choicesOf = ({ enum: values, items }: Schema): readonly unknown[] => values ?? items?.enum ?? []

type Field = { readonly name: string; readonly schema: Schema; readonly required: boolean }

/** Deeper fields show only their type. */
const deepest = 3

const fieldOf = ({ name, schema, required }: Field, depth: number): Html => {
  const limits = limitsOf(schema)
  const choices = choicesOf(schema)
  return html`<li><p class="field"><code class="name">${name}</code> <span class="type">${schemaTypeHtml(schema)}</span>${
    required && html` <span class="needed">required</span>`
  }</p>${schema.description && html`<p>${prose(schema.description)}</p>`}${
    choices.length > 0 &&
    html`<p class="limits">One of ${joined(
      choices.map((value) => html`<code>${String(value)}</code>`),
      ', ',
    )}</p>`
  }${limits.length > 0 && html`<p class="limits">${limits.join('; ')}</p>`}${depth < deepest && insideOf(schema, depth)}</li>`
}

const insideOf = ({ properties, required, items }: Schema, depth: number): Html | undefined => {
  if (properties) return schemaFieldsHtml({ properties, ...(required && { required }) }, depth + 1)
  return items?.properties && schemaFieldsHtml(items, depth + 1)
}

export const schemaFieldsHtml = ({ properties = {}, required = [] }: Schema, depth = 0): Html => {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
  }))
  const sorted = [...fields.filter((one) => one.required), ...fields.filter((one) => !one.required)]
  return html`<ul class="fields">${joined(
    sorted.map((one) => fieldOf(one, depth)),
    '',
  )}</ul>`
}

export const schemaReferenceSection = (name: string, schema: Schema): Html => {
  const choices = schema.oneOf ?? schema.anyOf
  return html`<details class="schema" id="schema-${name}"><summary><h3>${name}</h3></summary>${
    schema.description && html`<p>${prose(schema.description)}</p>`
  }${
    choices &&
    !schema.properties &&
    html`<p>${joined(
      choices.map((one) => schemaTypeHtml(one)),
      ', or ',
    )}</p>`
  }${schema.properties && schemaFieldsHtml(schema)}</details>`
}
