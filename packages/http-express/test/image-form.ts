import { sampleImages } from '../../../tests/corpora/images.js'

/** A file as a test sends it. */
export type SentFile = {
  readonly part?: string
  readonly filename?: string
  readonly type?: string
  readonly bytes?: Uint8Array | string
}

/** The part of a form that holds this file; unless told otherwise, a PNG that is called so. */
export const withFile = (
  form: FormData,
  { part = 'image', filename = 'a.png', type = 'image/png', bytes = sampleImages['image/png'] }: SentFile = {},
): FormData => {
  const content = typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)
  form.append(part, new Blob([content], { type }), filename)
  return form
}

/** A form with these fields. */
export const withFields = (fields: Readonly<Record<string, string>>, form = new FormData()): FormData => {
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

/** An upload: the fields, then the file. */
export const imageForm = (fields: Readonly<Record<string, string>> = {}, file?: SentFile): FormData =>
  withFile(withFields(fields), file)
