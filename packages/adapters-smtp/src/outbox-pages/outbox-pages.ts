import { html } from '@posthorn/core/ports/transport'
import type { Outbox, OutboxMail } from '../outbox/outbox.js'
import { layout } from './layout.js'
import { type OutboxCampaign, outboxCampaignsSection, outboxListPage, outboxListScriptHash } from './list-page.js'
import { mailTabsOf, outboxMailPage } from './mail-page.js'
import { framedMessageHtml, type InlineImage, messageFramePolicy, safeImageTypes } from './message-frame.js'
import { outboxStyleHash } from './style.js'

/** `path` begins at the mount point: `''`, `/`, `/<id>`, … */
export type OutboxPageRequest = { readonly method: string; readonly path: string; readonly query: URLSearchParams }

export type OutboxPageResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

const pagePolicy = [
  "default-src 'none'",
  `style-src ${outboxStyleHash}`,
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const always = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

const livePolicy = `${pagePolicy}; script-src ${outboxListScriptHash}; connect-src 'self'`

const page = (body: string, status = 200, policy = pagePolicy): OutboxPageResponse => ({
  status,
  headers: { ...always, 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
  body,
})

/** RFC 6266, RFC 8187: an ASCII name for old browsers, and the real one; neither contains a path, quote or line break. */
const downloadAs = (filename: string): string => {
  const name = filename.slice(0, 200).replaceAll(/[\\/]/g, '_').replaceAll(/\p{C}/gu, '') || 'attachment'
  const plain = name.replaceAll(/[^\x20-\x7e]|["%;]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

const file = (bytes: Uint8Array, filename: string, contentType: string): OutboxPageResponse => ({
  status: 200,
  headers: {
    ...always,
    'Content-Type': contentType,
    'Content-Disposition': downloadAs(filename),
    'Content-Security-Policy': "default-src 'none'; sandbox",
  },
  body: bytes,
})

const numberIn = (text: string | null): number => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0)

const pageSize = 50

export type OutboxPagesOptions = {
  readonly base?: string
  readonly campaigns?: () => Promise<readonly OutboxCampaign[]>
}

/**
 * The outbox's pages, read-only, for any HTTP server mounted at `base`: a list with search, a mail in tabs, its HTML in
 * a sandboxed frame, attachments as downloads.
 */
export const outboxPages = (outbox: Outbox, { base = '/outbox', campaigns }: OutboxPagesOptions = {}) => {
  const missing = () =>
    page(
      layout(
        { base },
        {
          title: 'Not found · Outbox · Posthorn',
          main: html`<h1>There is nothing here</h1><p class="lead">The mail may have been removed from the outbox. <a href="${base}">All mails</a></p>`,
        },
      ),
      404,
    )

  const list = async (query: URLSearchParams): Promise<OutboxPageResponse> => {
    const search = (query.get('search') ?? '').trim().slice(0, 200)
    const skip = numberIn(query.get('skip'))
    const found = await outbox.list({ search, skip, limit: pageSize })
    const isFirst = search === '' && skip === 0
    const running = isFirst ? await campaigns?.() : undefined
    const body = outboxListPage({ base, ...found, search, skip, limit: pageSize, campaigns: running })
    return page(body, 200, running ? livePolicy : pagePolicy)
  }

  const frame = async (body: string, mail: OutboxMail, remoteImages: boolean): Promise<OutboxPageResponse> => {
    const images = await Promise.all(
      mail.attachments.map(async ({ index, contentId }): Promise<readonly InlineImage[]> => {
        const found = contentId === undefined ? undefined : await outbox.attachment(mail.id, index)
        return found && contentId !== undefined ? [{ ...found, contentId }] : []
      }),
    )
    return {
      status: 200,
      headers: {
        ...always,
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': messageFramePolicy(remoteImages),
      },
      body: framedMessageHtml(body, images.flat()),
    }
  }

  const mailPage = (mail: OutboxMail, asked: string, remoteImages: boolean): OutboxPageResponse => {
    const tabs = mailTabsOf(mail)
    const tab = asked === '' ? (tabs[0] ?? 'source') : tabs.find((one) => one === asked)
    return tab === undefined ? missing() : page(outboxMailPage({ base, mail, tab, remoteImages }))
  }

  const attachment = async (id: string, index: string): Promise<OutboxPageResponse> => {
    const found = /^\d{1,4}$/.test(index) ? await outbox.attachment(id, Number(index)) : undefined
    if (!found) return missing()
    const { bytes, filename, contentType } = found
    return file(bytes, filename, safeImageTypes.has(contentType) ? contentType : 'application/octet-stream')
  }

  const download = async (id: string): Promise<OutboxPageResponse> => {
    const bytes = await outbox.eml(id)
    return bytes ? file(bytes, `${id}.eml`, 'application/octet-stream') : missing()
  }

  return async ({ method, path, query }: OutboxPageRequest): Promise<OutboxPageResponse> => {
    if (method !== 'GET' && method !== 'HEAD')
      return {
        status: 405,
        headers: { ...always, Allow: 'GET, HEAD', 'Content-Type': 'text/plain' },
        body: 'GET only\n',
      }
    const [id = '', part = '', index, ...more] = path.replace(/^\//, '').split('/')
    if (id === '') return part === '' ? list(query) : missing()
    if (id === 'campaigns' && part === '')
      return campaigns ? page(outboxCampaignsSection(base, await campaigns()).text) : missing()
    if (more.length > 0) return missing()
    if (part === 'attachments' && index !== undefined) return attachment(id, index)
    if (index !== undefined && index !== '') return missing()
    if (part === 'download') return download(id)
    const mail = await outbox.get(id)
    if (!mail) return missing()
    const remoteImages = query.get('images') === 'remote'
    if (part !== 'html') return mailPage(mail, part, remoteImages)
    return mail.html === undefined ? missing() : frame(mail.html, mail, remoteImages)
  }
}
