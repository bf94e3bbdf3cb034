import { createCore } from '@posthorn/core'
import type { Mail } from '@posthorn/core/ports/transport'
import { inMemoryPorts, recordingMailer, sampleProject } from '@posthorn/testkit'
import { expect } from 'vitest'

export const bounceDomain = 'bounces.example.com'

/** A campaign that has been sent to so many readers, with addresses that its mails come back to. */
export const aSentCampaign = async (readers: number) => {
  const mailer = recordingMailer()
  const { settings } = inMemoryPorts().ports
  const world = inMemoryPorts({ mailer, settings: { ...settings, bounceDomain } })
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  await project.subscribe(readers)
  const { _id: campaignId } = await core.campaigns.create(project.scope, {
    name: 'January',
    subject: 'News',
    type: 'text',
    document: 'News',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2025-11-30T11:00:00Z',
  })
  await core.worker.runUntilIdle()
  const everything = { limit: 30, skip: 0 }
  return {
    ...world,
    core,
    project,
    sent: mailer.sent,
    totals: () => core.statistics.ofEmail(project.scope, 'campaigns', campaignId, { timeZone: 'UTC' }),
    suppressed: async () =>
      (await core.suppressions.list(project.scope, everything)).items.map(({ email, reason }) => `${email}: ${reason}`),
    active: async () => (await core.subscriberLists.stats(project.scope, project.list._id)).active,
  }
}

export const returnPathOf = (mail?: Mail) => mail?.envelopeFrom ?? ''
export const leavingAddressOf = (mail?: Mail) => /<mailto:([^?>]+)/.exec(mail?.mime ?? '')?.[1] ?? ''

const lines = (text: string) => text.replaceAll('\n', '\r\n')

/** The report of a server about a mail, as Postfix writes it. */
export const statusReport = (to: string, { status = '5.1.1', action = 'failed' } = {}) =>
  lines(`Return-Path: <>
From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
To: ${to}
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

I'm sorry.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; reader@example.net
Action: ${action}
Status: ${status}
Diagnostic-Code: smtp; 550 ${status} as it is
--b--
`)

/** A complaint about a mail, of which the report has the envelope's sender. */
export const feedbackReport = (returnPath: string) =>
  lines(`From: fbl@example.net
To: fbl@${bounceDomain}
Subject: FW: News
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="b"

--b
Content-Type: message/feedback-report

Feedback-Type: abuse
Version: 1
Original-Mail-From: <${returnPath}>

--b
Content-Type: message/rfc822

Return-Path: <${returnPath}>
Subject: News

--b--
`)

/** What the core has of returned mail, in a store that fails while it is told to. */
export const failing = <T extends object>(real: T, isDown: () => boolean): T =>
  Object.fromEntries(
    Object.entries(real).map(([name, run]) => [
      name,
      name === 'addressed'
        ? run
        : async (...given: unknown[]) => {
            if (isDown()) throw new Error('The store is away')
            return (run as (...all: unknown[]) => unknown)(...given)
          },
    ]),
  ) as T

/** Waits until it holds. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  await expect.poll(holds, { interval: 10 }).toBe(true)
}
