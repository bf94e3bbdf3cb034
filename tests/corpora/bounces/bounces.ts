import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClassifiedReturnedMail, ReturnAddressPurpose } from '@posthorn/adapters-mail-in'

const directory = import.meta.dirname

/** A message as a server sends it, and what a person says that it is. */
export type Labelled = {
  readonly name: string
  readonly to: ReturnAddressPurpose
  readonly label: string
  /** The enhanced status that the report gives; `-` where it gives none. */
  readonly status: string
  readonly raw: Buffer
}

export const corpus: readonly Labelled[] = readFileSync(join(directory, 'labels.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [name = '', to = '', label = '', status = ''] = line.split('\t')
    return { name, to: to as ReturnAddressPurpose, label, status, raw: readFileSync(join(directory, `${name}.eml`)) }
  })

/** What was understood, in the words of the labels. */
export const labelOf = (returned: ClassifiedReturnedMail): string => {
  if (returned.kind === 'delivery-status') return returned.outcome
  if (returned.kind === 'feedback') return returned.complaint ? 'complaint' : 'no-complaint'
  return returned.kind
}
