import type { DesignSystem } from '../api/types.js'
import type { Words } from '../editor/visual/blocks.js'

const sampleLink = /https?:\/\/(?:www\.)?example\.(?:com|net|org)(?![\w.-])/i

type Entries = readonly { readonly name: string; readonly value: unknown }[]

/** Whether a document still has the text that new documents begin with, or leads to a reserved domain of RFC 2606, also by the design system. */
export const hasSampleContent = (
  document: string,
  words: Words,
  design: Pick<DesignSystem, 'variables'> | null | undefined,
): boolean => {
  const { links = [], images = [] } = design?.variables ?? {}
  const leadsThere = (group: string, entries: Entries) =>
    entries.some(
      ({ name, value }) => sampleLink.test(String(value)) && document.includes(`{{design.${group}.${name}}}`),
    )
  return (
    document.includes(words.text) ||
    sampleLink.test(document) ||
    leadsThere('links', links) ||
    leadsThere('images', images)
  )
}
