import type { CustomField, FieldType } from '../contacts/custom-field.js'
import type { PropertyStyle, SignupForm } from './signup-form.js'

/** A property that a form asks for. */
export type Property = PropertyStyle & { readonly name: string; readonly type: FieldType }

/**
 * The properties that a form shows, in their order: `name`, and those of the project's custom fields that it names. One whose
 * custom field is gone is passed over.
 */
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
