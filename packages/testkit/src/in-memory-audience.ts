import {
  type Audience,
  type AudienceQuestion,
  type Contact,
  collected,
  matches,
  type Repositories,
  statusAt,
} from '@posthorn/core'

type Deps = Pick<Repositories, 'contacts' | 'subscribers' | 'suppressions'>

/** The audience in memory: the meaning of `matches` over all contacts, which the stores' queries are held to. */
export const inMemoryAudience = ({ contacts, subscribers, suppressions }: Deps): Audience => {
  const meant = async ({
    projectId,
    subscriberListId,
    segment,
    now,
  }: AudienceQuestion): Promise<readonly Contact[]> => {
    const active = (await collected(subscribers.each({ subscriberListId }))).filter(
      (one) => statusAt(one, now) === 'active',
    )
    const found = await collected(contacts.each({ _id: active.map((one) => one.contactId), projectId }))
    return segment ? found.filter((contact) => matches(segment, contact, new Date(now))) : found
  }

  return {
    count: async (question) => {
      const all = await meant(question)
      const suppressed = new Set(
        (await collected(suppressions.each({ projectId: question.projectId }))).map((one) => one.emailKey),
      )
      const reachable = all.filter(
        (contact) =>
          !suppressed.has(contact.emailKey) &&
          !(question.unengaged && matches(question.unengaged, contact, new Date(question.now))),
      )
      return { total: all.length, reachable: reachable.length }
    },
    page: async (question, after, limit) =>
      (await meant(question)).filter(({ _id }) => after === undefined || _id > after).slice(0, limit),
  }
}
