import type { CustomField, FieldType } from '../contacts/custom-field.js'
import type { PropertyStyle, SignupForm } from './signup-form.js'

/** A property that a form has an input for. */
export type Property = PropertyStyle & { readonly name: string; readonly type: FieldType }

/** The properties that a form shows, in order: `name`, and the project's custom fields that it names. Deleted custom fields are skipped. */
export const propertiesOf = (
  { propertiesStyle }: Pick<SignupForm, 'propertiesStyle'>,
  fields: readonly CustomField[],
): readonly Property[] => {
  const types = new Map<string, FieldType>([
    ['name', 'string'],
    ...fields.map(({ name, type }) => [name, type] as const),
  ])
  return Object.entries(propertiesStyle)
    .flatMap(([name, style]) => {
      const type = types.get(name)
      return type && style.show ? [{ ...style, name, type }] : []
    })
    .sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1))
}
