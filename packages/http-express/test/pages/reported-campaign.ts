import {
  type Delivery,
  type Figure,
  type FigureMetric,
  figureSubject,
  quarterHourOf,
} from '@posthorn/core/ports/storage'
import { aDelivery, aDispatch } from '@posthorn/testkit'
import type { World } from '../world.js'

/** The links of the campaign, and the part of all clicks that each has. */
const links = [
  ['https://shop.example/spring?utm_source=news&utm_medium=email&utm_campaign=spring-2026', 'Hero image', 0.42],
  ['https://shop.example/spring/jackets', 'Products', 0.23],
  ['https://shop.example/spring/boots', 'Products', 0.16],
  ['https://shop.example/account/…', 'Your points', 0.1],
  ['https://blog.shop.example/2026/01/how-a-jacket-is-made-from-the-first-sketch-to-the-last-stitch', 'Story', 0.07],
  ['https://instagram.example/shop', 'Footer', 0.02],
] as const

/** Which link is followed, by a number from 0 to 1. */
const placeOf = (chance: number): number => {
  const upTo = links.map((_, place) => links.slice(0, place + 1).reduce((sum, [, , part]) => sum + part, 0))
  return Math.max(
    0,
    upTo.findIndex((part) => chance < part),
  )
}

const minutes = (n: number) => n * 60_000
const hours = (n: number) => minutes(60) * n

/** How lively an hour of the day is. */
const liveliness = (time: number) => {
  const hour = new Date(time).getUTCHours()
  return hour < 5 ? 0.12 : hour < 7 ? 0.5 : hour < 21 ? 1 : 0.55
}

type Made = { readonly recipients: number; readonly sending?: boolean }

/**
 * A campaign as it may look: nearly all got it within two hours; opens fall off over three days, less at night; some bounced, a few
 * failed or were left out. Written into the store as it stands, by a sequence that is the same each time.
 */
export const aReportedCampaign = async (world: World, { recipients, sending = false }: Made) => {
  const { core, ports, project } = world
  const { scope, list, account } = project
  const { _id: campaignId } = await core.campaigns.create(scope, {
    name: 'Spring collection 2026',
    subject: '{{DEFAULT contact.name "Hello"}}, the spring collection is here',
    type: 'html',
    document: '<p>Spring</p>',
    timeZone: 'Europe/Vienna',
    subscriberListId: list._id,
  })
  const { _id: projectId } = project.project
  const dispatchId = campaignId.replace(/^./, 'd')
  const start = Date.parse('2026-01-13T08:00:00Z')
  const scheduledTo = new Date(start).toISOString()
  await ports.repositories.campaigns.change({ _id: campaignId }, (one) => ({
    ...one,
    status: sending ? 'being-sent' : 'sent',
    scheduledTo,
    dispatchId,
  }))

  let seed = 42
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
  const sums = new Map<string, Figure>()
  const counted = (subject: string, metric: FigureMetric, time: number) => {
    const slot = quarterHourOf(new Date(time).toISOString())
    const key = `${subject} ${metric} ${slot}`
    sums.set(key, { subject, metric, slot, n: (sums.get(key)?.n ?? 0) + 1 })
  }
  const email = figureSubject.email(campaignId)

  /** When somebody opens it who opens it at all. */
  const openedAt = (sentAt: number): number => {
    for (;;) {
      const time = sentAt + -Math.log(1 - random()) * hours(13)
      if (time < start + hours(74) && random() < liveliness(time)) return time
    }
  }
  const marksOf = (sentAt: number): Partial<Delivery> => {
    if (random() < 0.011) {
      counted(email, 'bounces', sentAt + minutes(random() * 300))
      return { bounced: 1 }
    }
    if (random() > 0.463) return {}
    const opens = random() < 0.28 ? 2 + Math.floor(random() * 3) : 1
    const first = openedAt(sentAt)
    for (let n = 0; n < opens; n += 1) counted(email, 'opens', n === 0 ? first : openedAt(first))
    counted(email, 'uniqueOpens', first)
    if (random() > 0.19) return { opens, ...(random() < 0.004 && { unsubscribed: 1 }) }
    const clicks = random() < 0.3 ? 2 : 1
    const places = new Set<unknown>()
    for (let n = 0; n < clicks; n += 1) {
      const place = placeOf(random())
      counted(email, 'clicks', first + minutes(1 + n))
      counted(figureSubject.link(campaignId, place), 'clicks', first)
      if (!places.has(place)) counted(figureSubject.link(campaignId, place), 'uniqueClicks', first)
      places.add(place)
    }
    return { opens, clicks, ...(random() < 0.03 && { unsubscribed: 1 }), ...(random() < 0.004 && { complained: 1 }) }
  }

  const rows = Array.from({ length: recipients }, (_, n): Delivery => {
    const contactId = (n + 1).toString(16).padStart(24, '0')
    const base = { dispatchId, projectId, emailId: campaignId, contactId, email: `reader${n}@example.com` }
    const chance = random()
    const given = (status: Delivery['status'], more: Partial<Delivery> = {}) => aDelivery({ ...base, status, ...more })
    if (chance < 0.021) return given('excluded', { reason: 'suppressed' })
    if (chance < 0.034) return given('excluded', { reason: 'unengaged' })
    if (chance < 0.0375) return given('excluded', { reason: 'paused' })
    if (chance < 0.0435) {
      const error = { name: '550', message: `5.1.1 <reader${n}@example.com>: Recipient address rejected: User unknown` }
      counted(email, 'bounces', start + (n / recipients) * minutes(105))
      return given('failed', { error, bounced: 1 })
    }
    if (chance < 0.0455) return given('failed', { error: { name: '552', message: '5.2.2 Mailbox full' } })
    if (sending && n > recipients * 0.62) return given('queued')
    const sentAt = start + (n / recipients) * minutes(105)
    counted(email, 'sent', sentAt)
    return given('sent', { sentAt: new Date(sentAt).toISOString(), ...(sending ? {} : marksOf(sentAt)) })
  })
  const dispatch = aDispatch({
    _id: dispatchId,
    projectId,
    accountId: account._id,
    kind: 'campaign',
    emailId: campaignId,
    stage: sending ? 'sending' : 'finished',
  })
  await ports.deliveries.accept({ dispatch, deliveries: rows, takes: [] })
  await ports.repositories.emailLinks.add({
    _id: campaignId,
    projectId,
    links: sending ? [] : links.map(([link, blockName]) => ({ link, blockName })),
  })
  await ports.figures.add([...sums.values()])
  const { url } = await core.campaignReports.link(scope, campaignId)
  return { campaignId, link: url.replace('https://posthorn.example.com', world.client.base) }
}
