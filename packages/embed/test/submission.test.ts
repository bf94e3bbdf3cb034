import { createCore } from '@posthorn/core'
import { inMemoryPorts, recordingMailer, sampleProject } from '@posthorn/testkit'
import { createTransport } from 'nodemailer'
import { afterEach, expect, it } from 'vitest'
import { openSubmission } from '../src/index.js'

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const started = async () => {
  const mailer = recordingMailer()
  const { ports } = inMemoryPorts({ mailer })
  const core = createCore(ports)
  const { project, key } = await sampleProject(core)
  const { port, close } = await openSubmission({ core }, { port: 0, host: '127.0.0.1', name: 'mail.example.com' })
  endings.push(close)
  const client = (pass: string) => {
    const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, auth: { user: project._id, pass } })
    endings.push(() => transport.close())
    return transport
  }
  return { core, mailer, port, close, key, client }
}

const mail = { from: 'post@example.com', to: ['ada@example.org', 'grace@example.org'], subject: 'Hello', text: 'Text' }

it('a program sends through the port that an application opens', async () => {
  const { core, mailer, key, client } = await started()
  expect(await client(key).sendMail(mail)).toMatchObject({ accepted: mail.to, rejected: [] })
  await core.worker.runUntilIdle()
  expect(mailer.sent.map(({ to }) => to).toSorted()).toEqual(mail.to)
  for (const { mime } of mailer.sent)
    expect([mime.includes(mail.from), mime.includes('Subject: Hello')]).toEqual([true, true])
})

it('a program without a key of the project sends nothing', async () => {
  const { core, mailer, client } = await started()
  await expect(client('wrong').sendMail(mail)).rejects.toMatchObject({ code: 'EAUTH', responseCode: 535 })
  await core.worker.runUntilIdle()
  expect(mailer.sent).toEqual([])
})

it('the port is free again after it was closed', async () => {
  const { core, port, close, key, client } = await started()
  await close()
  await expect(client(key).sendMail(mail)).rejects.toMatchObject({ code: 'ESOCKET' })
  const again = await openSubmission({ core }, { port, host: '127.0.0.1', name: 'mail.example.com' })
  endings.push(again.close)
  expect(await client(key).sendMail(mail)).toMatchObject({ accepted: mail.to })
})
