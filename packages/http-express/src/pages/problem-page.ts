import type { Core, Log, RefusalKind } from '@posthorn/core'
import { html, type Messages } from '@posthorn/core/ports'
import type { ErrorRequestHandler } from 'express'
import { errors, type HttpKind, reasonOf } from '../errors.js'
import { sendPage } from './page.js'
import { readerOf, saidTo, strangerOf } from './reader.js'

/** What a reader is told, by the reason; in other words than a program is, as nobody here knows of fields. */
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
 * What went wrong, as a page with its status; who has sent something from a page finds the way back. A path that cannot be
 * decoded is no page’s, nor is its answer.
 */
export const problemPage =
  (core: Core, log: Log): ErrorRequestHandler =>
  async (error, request, response, next) => {
    if (response.headersSent || error instanceof URIError) return next(error)
    const { kind, id } = reasonOf(error, request, log)
    // What is wrong may be that nothing can be looked up: then it is told to a stranger.
    const reader = await readerOf(core, request).catch(() => strangerOf(request))
    const say = saidTo(reader)
    const { token } = request.query
    const again = `?token=${encodeURIComponent(typeof token === 'string' ? token : '')}`
    const back = request.method === 'POST' && kind !== 'forbidden' && html`<p><a href="${again}">${say.back}</a></p>`
    const instead = request.path === '/report' ? say.reportLinkAgain : say.linkDamaged
    const content = html`<p>${say[told[kind]]}</p>${kind === 'forbidden' && html`<p class="soft">${instead}</p>`}${id !== undefined && html`<p class="soft">${id}</p>`}${back}`
    sendPage(response.status(errors[kind].status), { title: say.problemTitle, content }, reader)
  }
