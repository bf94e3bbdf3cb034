import { sendingThread, systemClock, systemSleep } from '@posthorn/adapters-node'
import { type SesThreadQuestion, sesMailer } from '@posthorn/adapters-ses'
import type { MailerInThreadOptions } from '@posthorn/adapters-ses/thread'
import { createCore, serverMailer } from '@posthorn/core'
import { localSes } from '@posthorn/local-aws'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { expect, it } from 'vitest'

const region = 'eu-west-1'
const limits = { connections: 10, connectTimeout: 5_000, requestTimeout: 60_000 }

it('a sending thread that dies with Amazon SES loses no recipient, and sends few mails twice', async () => {
  const ses = await localSes({ account: { maxSendRate: 10_000 } })
  ses.region(region).identities.verify('example.com', true)
  const credentials = { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'secret' }
  const own = sesMailer({ region, aws: { endpoint: ses.url, credentials }, limits })
  const options: MailerInThreadOptions = { region, configurationSet: undefined, limits }
  let deaths = 0
  const { mailer, renderAndSend } = sendingThread({
    mailer: own,
    module: new URL('./dying-ses-mailer.js', import.meta.url),
    options: () => options,
    answer: (question) => own.answer(question as SesThreadQuestion),
    secrets: ['a secret that only tests know'],
    settings: { publicUrl: 'https://mail.example.com' },
    log: (level) => {
      if (level === 'error') deaths += 1
    },
  })
  const core = createCore({
    ...inMemoryPorts().ports,
    clock: systemClock,
    sleep: systemSleep,
    mailers: serverMailer(mailer),
    renderAndSend,
  })
  const project = await sampleProject(core)
  await project.subscribe(300)
  const { _id } = await core.campaigns.create(project.scope, {
    name: 'News',
    subject: 'News',
    type: 'html',
    document: '<p>{{contact.email}}</p>',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2020-01-01T00:00:00Z',
  })
  const mail = { deliveryId: 'x', projectId: 'x', from: 'a@example.com', to: 'ends@example.org', mime: '\r\n' }
  const counts = async () => (await core.campaigns.progress(project.scope, _id)).deliveries
  const killing = setInterval(() => void mailer.send(mail), 15)
  setTimeout(() => clearInterval(killing), 200)
  while ((await counts()).sent < 300 || deaths === 0) {
    await core.worker.runUntilIdle()
    await systemSleep(1)
  }
  expect(await counts()).toMatchObject({ sent: 300, failed: 0, queued: 0, sending: 0, uncertain: 0 })
  expect(new Set(ses.sent.map(({ to }) => to[0])).size).toBe(300)
  expect(ses.sent.length - 300).toBeLessThanOrEqual(deaths * limits.connections)
  await mailer.close()
  await ses.close()
})
