import type { Core, Scope } from '@posthorn/core'

/** Can send: an account with credit, a sender identity and an empty list. In production unless `production` is false. */
export const sampleProject = async (core: Core, { credits = 10_000, production = true, name = 'Sample' } = {}) => {
  const account = await core.accounts.create({ name })
  if (credits > 0) await core.accounts.addCredit(account._id, credits)
  const project = await core.projects.create({ accountId: account._id, name })
  if (production) await core.accessReviews.approve(project._id)
  const scope: Scope = { projectId: project._id, caller: 'api-key' }
  const { key } = await core.apiKeys.create(project._id, {})
  const operator: Scope = { ...scope, caller: 'operator' }
  const sender = await core.senderIdentities.create(operator, {
    email: 'post@example.com',
    name: 'Post',
    region: 'eu-west-1',
  })
  const list = await core.subscriberLists.create(scope, { name: 'Readers' })
  return {
    account,
    project,
    scope,
    key,
    sender,
    list,
    credits: async () => (await core.accounts.get(account._id)).credits,
    /** Subscribes `n` contacts: `reader1@example.com`, … */
    subscribe: async (n: number) => {
      for (let i = 1; i <= n; i += 1)
        await core.subscribers.subscribe(scope, list._id, {
          email: `reader${i}@example.com`,
          name: `Reader ${i}`,
          status: 'active',
        })
    },
  }
}
