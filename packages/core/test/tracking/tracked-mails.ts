import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import PostalMime from 'postal-mime'

export const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

/** A campaign with this document that has been sent to `n` readers, who have had it for an hour. */
export const aTrackedCampaign = async (
  n: number,
  document: string,
  changes: Parameters<typeof inMemoryPorts>[0] & { readonly tracking?: { opens?: boolean; clicks?: boolean } } = {},
) => {
  const { tracking, ...others } = changes
  const world = inMemoryPorts(others)
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  await project.subscribe(n)
  const { _id: campaignId } = await core.campaigns.create(project.scope, {
    name: 'January',
    subject: 'Hello',
    type: 'html',
    document,
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2025-11-30T11:00:00Z',
    ...(tracking && { tracking }),
  })
  await core.worker.runUntilIdle()
  world.clock.advance(60 * 60_000)
  const htmlOf = async (i: number) => (await PostalMime.parse(world.mailer.sent[i]?.mime ?? '')).html ?? ''
  const pathsOf = async (i: number) => {
    const found = [...(await htmlOf(i)).matchAll(/(?:href|src)="https:\/\/posthorn\.example\.com\/([co])\/([^"]+)"/g)]
    const links = found.filter(([, kind]) => kind === 'c').map(([, , path = '']) => path.split('/'))
    return {
      image: found.find(([, kind]) => kind === 'o')?.[2] ?? '',
      links: links.map(([token = '', ref = '', signed]) => ({ token, ref, signed })),
    }
  }
  const everything = { limit: 30, skip: 0 }
  return {
    ...world,
    core,
    project,
    campaignId,
    htmlOf,
    pathsOf,
    totals: async () => core.statistics.ofEmail(project.scope, 'campaigns', campaignId, { timeZone: 'UTC' }),
    recipients: async (query: object = {}) =>
      core.statistics.recipients(project.scope, 'campaigns', campaignId, { ...everything, ...query }),
    contact: (email: string) => core.contacts.get(project.scope, email),
    /** The image of a mail is asked for. */
    open: async (i: number, headers: Record<string, string> = browser, method = 'GET') => {
      const mail = core.tracking.findMail((await pathsOf(i)).image)
      if (mail) core.tracking.addHit({ mail }, { method, headers, ipAddress: '192.0.2.7' })
    },
    /** A link of a mail is asked for; answers where it leads. */
    click: async (i: number, link: number, headers: Record<string, string> = browser, method = 'GET') => {
      const path = (await pathsOf(i)).links[link]
      const followed = path && (await core.tracking.findLink(path))
      if (followed) core.tracking.addHit(followed, { method, headers, ipAddress: '192.0.2.7' })
      return followed?.target
    },
  }
}
