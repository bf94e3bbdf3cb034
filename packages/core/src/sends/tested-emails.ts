import type { Campaign } from '../campaigns/campaign.js'
import type { StoredEmail } from '../emails/email-content.js'
import { notFound } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Template } from '../templates/template.js'
import type { TransactionalEmail } from '../transactional-emails/transactional-email.js'
import type { TriggeredEmail } from '../triggered-emails/triggered-email.js'
import { type TestedKind, testedKinds } from './test-links.js'

export type TestedEmails = RepositoriesFor<{
  campaigns: Campaign
  triggeredEmails: TriggeredEmail
  transactionalEmails: TransactionalEmail
  templates: Template
}>

/** Finds the emails that can be tested or previewed, by id. */
export const testedEmails = ({ campaigns, triggeredEmails, transactionalEmails, templates }: TestedEmails) => {
  const kinds: Readonly<
    Record<TestedKind, { readonly noun: string; readonly get: (where: Where) => Promise<StoredEmail | undefined> }>
  > = {
    campaign: { noun: 'Campaign', get: (where) => campaigns.get(where) },
    triggered: { noun: 'Triggered email', get: (where) => triggeredEmails.get(where) },
    transactional: { noun: 'Transactional email', get: (where) => transactionalEmails.get(where) },
    template: {
      noun: 'Template',
      get: async (where) => {
        const template = await templates.get(where)
        return template && { ...template, type: 'visual', feeds: [] }
      },
    },
  }

  return {
    /** @throws Refusal `not-found` that names the kind */
    ofKind: async (projectId: string, kind: TestedKind, _id: string): Promise<StoredEmail> => {
      const email = await kinds[kind].get({ _id, projectId })
      if (!email) throw notFound(kinds[kind].noun)
      return email
    },

    /** The email with that id, and its kind; ids are unique across kinds. */
    any: async (where: Where): Promise<{ readonly kind: TestedKind; readonly email: StoredEmail } | undefined> => {
      const found = await Promise.all(testedKinds.map(async (kind) => ({ kind, email: await kinds[kind].get(where) })))
      return found.flatMap(({ kind, email }) => (email ? [{ kind, email }] : []))[0]
    },
  }
}

type Where = { readonly _id: string; readonly projectId?: string }
