import type { Messages } from '../text/en.js'
import type { IconName } from '../ui/icons.js'

export type Entry = {
  readonly id: string
  readonly label: string
  readonly under?: string
  readonly icon: IconName
  readonly path: string
}

export type Section = { readonly id: string; readonly title: keyof Messages; readonly entries: readonly Entry[] }

/** The URL opens the dialog. Only if its page is in the navigation. */
export const creations: readonly {
  readonly label: keyof Messages
  readonly page: string
  readonly search: string
  readonly permission: string
}[] = [
  { label: 'newCampaign', page: '/campaigns', search: 'new=1', permission: 'content.edit' },
  { label: 'newContact', page: '/audience/contacts', search: 'new=1', permission: 'contacts.edit' },
  { label: 'newList', page: '/audience/lists', search: 'add=lists', permission: 'contacts.edit' },
  { label: 'newSegment', page: '/audience/segments', search: 'add=segments', permission: 'contacts.edit' },
  { label: 'newForm', page: '/audience/forms', search: 'add=forms', permission: 'content.edit' },
  { label: 'newField', page: '/audience/fields', search: 'add=customFields', permission: 'contacts.edit' },
  { label: 'newTag', page: '/audience/fields', search: 'add=tags', permission: 'contacts.edit' },
  {
    label: 'newSuppression',
    page: '/audience/suppressions',
    search: 'add=suppressions',
    permission: 'suppressions.edit',
  },
  { label: 'newTemplate', page: '/templates', search: 'new=1', permission: 'content.edit' },
  { label: 'newDomain', page: '/sending/domains', search: 'add=domains', permission: 'settings.edit' },
  { label: 'newSender', page: '/sending/senders', search: 'add=senders', permission: 'settings.edit' },
  { label: 'newKey', page: '/developers/keys', search: 'new=1', permission: 'settings.edit' },
  { label: 'newHook', page: '/developers/webhooks', search: 'new=1', permission: 'settings.edit' },
]

const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()

/** Whether the text contains all words, in any order. Ignores case and accents. */
export const matches = (text: string, wanted: string): boolean => {
  const within = folded(text)
  return folded(wanted)
    .split(/\s+/)
    .every((word) => within.includes(word))
}

export const looksLikeAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text)
