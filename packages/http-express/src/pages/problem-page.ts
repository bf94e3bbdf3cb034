import type { Core, Log, RefusalKind } from '@posthorn/core'
import { html, type Messages } from '@posthorn/core/ports/transport'
import type { ErrorRequestHandler } from 'express'
import { errors, type HttpKind, reasonOf } from '../errors.js'
import { sendPage } from './page.js'
import { readerOf, saidTo, strangerOf } from './reader.js'

/** Messages by reason. They differ from those for programs, because readers of mails do not know the fields of the API. */
const told: Readonly<Record<RefusalKind | HttpKind, keyof Messages>> = {
  invalid: 'choiceNotValid',
  forbidden: 'linkNotValid',
  'not-found': 'linkGone',
  blocked: 'notForAddress',
  duplicate: 'notForAddress',
  busy: 'tryLater',
  unavailable: 'tryLater',
  'too-slow': 'tryLater',
  'too-large': 'choiceNotValid',
  'head-too-large': 'choiceNotValid',
  unexpected: 'fault',
}

/**
 * Shows an error as a page with its status, after a form post with a link back. A path that cannot be decoded belongs to no page, so
 * another handler responds.
 */
export const problemPage =
  (core: Core, log: Log): ErrorRequestHandler =>
  async (error, request, response, next) => {
    if (response.headersSent || error instanceof URIError) return next(error)
    const { kind, id } = reasonOf(error, request, log)
    // The lookup of the reader may fail for the same reason; the page then addresses a stranger.
    const reader = await readerOf(core, request).catch(() => strangerOf(request))
    const say = saidTo(reader)
    const { token } = request.query
    const again = `?token=${encodeURIComponent(typeof token === 'string' ? token : '')}`
    const back = request.method === 'POST' && kind !== 'forbidden' && html`<p><a href="${again}">${say.back}</a></p>`
    const instead = request.path === '/report' ? say.reportLinkAgain : say.linkDamaged
    const content = html`<p>${say[told[kind]]}</p>${kind === 'forbidden' && html`<p class="soft">${instead}</p>`}${id !== undefined && html`<p class="soft">${id}</p>`}${back}`
    sendPage(response.status(errors[kind].status), { title: say.problemTitle, content }, reader)
  }
