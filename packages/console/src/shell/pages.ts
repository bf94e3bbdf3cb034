import type { Messages } from '../text/en.js'
import type { IconName } from '../ui/icons.js'
import { useProject, useSession } from './session.js'

export type ConsolePage = {
  readonly path: string
  readonly label: keyof Messages
  readonly icon: IconName
  readonly permission?: string
  readonly below?: readonly {
    readonly path: string
    readonly label: keyof Messages
    readonly permission?: string
    readonly ownSignIn?: true
  }[]
}

const pages: readonly ConsolePage[] = [
  { path: '/home', label: 'home', icon: 'home' },
  { path: '/campaigns', label: 'campaigns', icon: 'send' },
  { path: '/automatic', label: 'automatic', icon: 'bolt' },
  {
    path: '/templates',
    label: 'templates',
    icon: 'template',
    below: [
      { path: '/templates', label: 'templates' },
      { path: '/templates/design', label: 'design' },
      { path: '/templates/gallery', label: 'gallery' },
    ],
  },
  {
    path: '/audience',
    label: 'audience',
    icon: 'people',
    below: [
      { path: '/audience/contacts', label: 'contacts', permission: 'addresses.read' },
      { path: '/audience/lists', label: 'lists' },
      { path: '/audience/segments', label: 'segments' },
      { path: '/audience/forms', label: 'forms' },
      { path: '/audience/fields', label: 'fieldsAndTags' },
      { path: '/audience/suppressions', label: 'suppressions', permission: 'addresses.read' },
    ],
  },
  { path: '/deliveries', label: 'deliveries', icon: 'mail', permission: 'addresses.read' },
  {
    path: '/sending',
    label: 'sending',
    icon: 'globe',
    below: [
      { path: '/sending/domains', label: 'domains' },
      { path: '/sending/senders', label: 'senders' },
      { path: '/sending/reputation', label: 'reputation' },
    ],
  },
  {
    path: '/developers',
    label: 'developers',
    icon: 'code',
    below: [
      { path: '/developers/keys', label: 'apiKeys', permission: 'settings.edit' },
      { path: '/developers/webhooks', label: 'webhooks', permission: 'settings.edit' },
      { path: '/developers/repeats', label: 'repeats', permission: 'settings.edit' },
      { path: '/developers/signature', label: 'signatureCheck' },
      { path: '/developers/api', label: 'apiReference' },
    ],
  },
  {
    path: '/settings',
    label: 'settings',
    icon: 'settings',
    below: [
      { path: '/settings/project', label: 'project' },
      { path: '/settings/browser', label: 'setBrowser' },
      { path: '/settings/cloud', label: 'setCloud', permission: 'settings.edit' },
      { path: '/settings/retention', label: 'setRetention' },
      { path: '/settings/people', label: 'team', permission: 'people.edit', ownSignIn: true },
      { path: '/settings/audit', label: 'auditLog', permission: 'audit.read' },
      { path: '/settings/account', label: 'account', ownSignIn: true },
    ],
  },
]

/** Without the pages that the person may not open. */
export const usePages = (): readonly ConsolePage[] => {
  const { may } = useProject()
  const { embedded = false } = useSession()
  return pages.flatMap((page) => {
    if (page.permission !== undefined && !may(page.permission)) return []
    if (!page.below) return [page]
    const below = page.below.filter(
      ({ permission, ownSignIn }) => (permission === undefined || may(permission)) && !(embedded && ownSignIn === true),
    )
    return below.length > 0 ? [{ ...page, below }] : []
  })
}
