import type { Repositories, Repository, Stored, Where } from '@posthorn/core'

export type Kind = keyof Repositories

/** What is copied as a whole: all of an account that is no project's, or all of a project. */
export type Owner = { readonly of: 'account' | 'project'; readonly id: string }

/** By which field each kind of record says whose it is. A gallery's tree is a project's, or shared by its account. */
const fields = {
  accounts: { account: '_id' },
  projects: { project: '_id' },
  apiKeys: { project: 'projectId' },
  accessRequests: { project: 'projectId' },
  domains: { project: 'projectId' },
  designSystems: { project: 'projectId' },
  senderIdentities: { project: 'projectId' },
  contacts: { project: 'projectId' },
  customFields: { project: 'projectId' },
  contactTags: { project: 'projectId' },
  contactChanges: { project: 'projectId' },
  subscriberLists: { project: 'projectId' },
  subscribers: { project: 'projectId' },
  signupForms: { project: 'projectId' },
  segments: { project: 'projectId' },
  campaigns: { project: 'projectId' },
  triggeredEmails: { project: 'projectId' },
  transactionalEmails: { project: 'projectId' },
  templates: { project: 'projectId' },
  suppressions: { project: 'projectId' },
  galleryFolders: { account: 'treeId', project: 'treeId' },
  galleryImages: { account: 'treeId', project: 'treeId' },
  repairs: {},
  errorLogReadings: { project: 'projectId' },
  contents: { project: 'projectId' },
  dispatches: { project: 'projectId' },
  webhooks: { project: 'projectId' },
  idempotentRequests: { project: 'projectId' },
  webhookDeliveries: { project: 'projectId' },
} as const satisfies Record<Kind, Readonly<Partial<Record<Owner['of'], string>>>>

/** Records of one kind that belong to one owner. */
export type Share = { readonly kind: Kind; readonly where: Where<Stored> }

/** What the owner has of every kind, the record of itself left out: that one is written last. */
export const sharesOf = ({ of, id }: Owner): readonly Share[] =>
  (Object.keys(fields) as Kind[]).flatMap((kind) => {
    const field = (fields[kind] as Readonly<Partial<Record<Owner['of'], string>>>)[of]
    return field === undefined || field === '_id' ? [] : [{ kind, where: { [field]: id } as Where<Stored> }]
  })

/** The repository of a kind, for what is the same with all of them. */
export const repositoryOf = (repositories: Repositories, kind: Kind): Repository<Stored> =>
  repositories[kind] as unknown as Repository<Stored>
