import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import preset from 'mjml-preset-core'

/** Writes the visual editor's table of MJML's components from MJML itself; `--check` only compares. */

const file = fileURLToPath(new URL('src/editor/visual/components.ts', import.meta.url))
const { components, dependencies } = preset.default ?? preset

const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const named = (name) => (/^[a-z]+$/.test(name) ? name : quoted(name))

const rowOf = ({ componentName, endingTag, allowedAttributes = {}, defaultAttributes = {} }) => {
  const children = (dependencies[componentName] ?? []).filter((child) => typeof child === 'string')
  const attributes = Object.entries(allowedAttributes).map(([name, type]) => {
    const standard = defaultAttributes[name]
    return `      ${named(name)}: [${[type, ...(standard === undefined ? [] : [String(standard)])].map(quoted).join(', ')}],`
  })
  return [
    `  ${quoted(componentName)}: {`,
    `    hasContent: ${endingTag === true},`,
    `    children: [${children.map(quoted).join(', ')}],`,
    ...(attributes.length === 0 ? ['    attributes: {},'] : ['    attributes: {', ...attributes, '    },']),
    '  },',
  ].join('\n')
}

const text = `// Written by packages/console/components.js from mjml-preset-core. Do not edit.

/** Type in MJML's notation, such as \`unit(px,%)\`, and default. */
export type AttributeType = readonly [type: string, standard?: string]

export type Component = {
  /** Its content is text or HTML, not elements. */
  readonly hasContent: boolean
  readonly children: readonly string[]
  readonly attributes: Readonly<Record<string, AttributeType>>
}

// biome-ignore format: generated; one attribute per line shows what a new MJML changes
const components: Readonly<Record<string, Component>> = {
${[{ componentName: 'mjml' }, ...components].map(rowOf).join('\n')}
}

/** Undefined for an element that MJML does not have, whatever a document names it. */
export const componentOf = (tagName: string): Component | undefined =>
  Object.hasOwn(components, tagName) ? components[tagName] : undefined

/** Undefined for an attribute that the element does not have. */
export const attributeTypeOf = (tagName: string, name: string): AttributeType | undefined => {
  const attributes = componentOf(tagName)?.attributes ?? {}
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined
}
`

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('The table of components is old. Run: node packages/console/components.js\n')
  process.exitCode = 1
}
