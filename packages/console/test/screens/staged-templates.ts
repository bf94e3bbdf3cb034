import type { Page } from 'playwright-core'
import { sampleImages } from '../../../../tests/corpora/images.js'
import type { RunningServer } from '../../../../tests/server-process.js'
import { bootstrapKey, projectOf } from '../../../../tests/server-process.js'
import type { AutomaticEmailTotals } from '../../src/automatic/emails.js'
import { wordsIn } from '../../src/editor/visual/words.js'
import { starters } from '../../src/templates/starters.js'
import { en } from '../../src/text/en.js'
import { edited } from './edited.js'

const words = wordsIn((key) => en[key])

/** What the gallery, the templates and the automatic emails of a shop have. */
export const contentOf = async (server: RunningServer, project: string, list: string) => {
  const { post } = projectOf(server)
  const idOf = async (path: string, body: unknown) => (await post(path, body))._id ?? ''
  const folder = await idOf('/gallery/folders', { name: 'Covers' })
  await idOf('/gallery/folders', { name: 'Reading nights' })
  await idOf('/gallery/folders', { name: 'Winter', parentFolderId: folder })
  const upload = async (name: string, parentFolderId = '') => {
    const form = new FormData()
    if (parentFolderId !== '') form.append('parentFolderId', parentFolderId)
    form.append('image', new Blob([sampleImages['image/png'] as Uint8Array<ArrayBuffer>], { type: 'image/png' }), name)
    const response = await fetch(`${server.base}/v1/projectId/${project}/gallery/images`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bootstrapKey}` },
      body: form,
    })
    return ((await response.json()) as { readonly result: { readonly _id: string; readonly url: string } }).result
  }
  const { _id: image } = await upload('lamp.png')
  const { url: poster } = await upload('four-evenings-in-december.png')
  await upload('cover.png', folder)
  const subject = 'Your order {{order.number}}'
  const template = await idOf('/templates', {
    name: 'Newsletter',
    subject: 'News for {{contact.name}}',
    document: starters.newsletter(words),
    tags: ['monthly', 'books'],
  })
  await idOf('/templates', { name: 'Order', subject, document: starters.notice(words) })
  const html = { type: 'html', subject, document: '<p>Thank you, {{contact.name}}. Total: {{order.total}}</p>' }
  const transactional = await idOf('/transactional-emails', { ...html, name: 'Receipt' })
  await idOf('/transactional-emails', { ...html, name: 'Password reset', subject: 'Your link to a password' })
  const triggered = await idOf('/triggered-emails', {
    ...html,
    name: 'Back in stock',
    subject: 'It is back',
    document: `<img src="${poster}" alt=""><p>{{book}} is back. <a href="{{unsubscribeLink}}">Unsubscribe</a></p>`,
    subscriberListId: list,
    feeds: [{ url: 'https://shop.invalid/new-books.xml', feedType: 'rss-xml', variableName: 'books' }],
    tracking: { opens: false, clicks: true },
  })
  return { folder, image, template, transactional, triggered }
}

const totals: AutomaticEmailTotals = {
  opens: 812,
  clicks: 240,
  uniqueOpens: 640,
  uniqueClicks: 210,
  machineOpens: 190,
  machineClicks: 41,
  sent: 1_204,
  failed: 3,
  bounce: 7,
  complaint: 1,
}

/** Emails that have been sent often. */
export const busyEmails = (page: Page): Promise<void> =>
  edited(page, /^\/(transactional|triggered)-emails\/\w+\/stats$/, (result, url) => {
    if (!Array.isArray(result.buckets)) return { ...result, ...totals }
    const isMachine = url.searchParams.get('metric')?.startsWith('machine') === true
    const buckets = Array.from({ length: 14 }, (_, at) => ({
      period: `2026-03-${String(at + 1).padStart(2, '0')}`,
      count: isMachine ? 12 + at : 40 + ((at * 17) % 30),
    }))
    return { ...result, buckets }
  })
