import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'

/** A project with a campaign that has been sent to `n` readers. */
export const aSentCampaign = async (
  n: number,
  changes: Parameters<typeof inMemoryPorts>[0] = {},
  content: { readonly type: 'text' | 'html'; readonly document: string } = {
    type: 'text',
    document: 'leave: {{unsubscribeLink}}',
  },
) => {
  const world = inMemoryPorts(changes)
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  await project.subscribe(n)
  const { _id: campaignId } = await core.campaigns.create(project.scope, {
    name: 'January',
    subject: 'Hello {{contact.name}}',
    ...content,
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2025-11-30T11:00:00Z',
  })
  await core.worker.runUntilIdle()
  const { items } = await world.ports.deliveries.list({
    where: { emailId: campaignId, projectId: project.project._id },
    by: 'email',
    order: 'asc',
    skip: 0,
    limit: 1000,
  })
  const everything = { limit: 30, skip: 0 }
  return {
    ...world,
    core,
    project,
    campaignId,
    /** Their mails, in the order of their addresses. */
    mails: items,
    totals: async () => core.statistics.ofEmail(project.scope, 'campaigns', campaignId, { timeZone: 'UTC' }),
    recipients: async (query: object = {}) =>
      core.statistics.recipients(project.scope, 'campaigns', campaignId, { ...everything, ...query }),
    suppressed: async () => (await core.suppressions.list(project.scope, everything)).items,
    contact: (email: string) => core.contacts.get(project.scope, email),
  }
}
