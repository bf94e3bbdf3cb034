import { afterEach, expect, it } from 'vitest'
import { projectOf, startBuiltServer, stopServer, temporaryDirectory, until } from '../../../tests/server-process.js'
import { sesEnvironment, sesWithTopic, topicArn } from './ses-topic.js'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

it('a mail given to Amazon SES by a killed worker is sent once, because its Send event confirms it', async () => {
  const ses = await sesWithTopic(['SEND'])
  const data = temporaryDirectory()
  closing.push(data.remove, ses.close)
  const environment = {
    ...sesEnvironment,
    POSTHORN_PUBLIC_URL: 'https://mail.example.com',
    AWS_ENDPOINT_URL_SESV2: ses.url,
    AWS_ENDPOINT_URL_SNS: ses.url,
  }
  const api = await startBuiltServer(data.path, { ...environment, POSTHORN_ROLES: 'api' })
  closing.push(() => stopServer(api))
  await ses.sns.subscribe(topicArn, `${api.base}/v1/ses/events`)

  ses.failWith(({ operation }) => (operation === 'SendEmail' ? 'no-answer' : undefined))
  const killed = await startBuiltServer(data.path, { ...environment, POSTHORN_ROLES: 'worker' })
  const { post, get } = projectOf(api)
  const content = { name: 'Receipt', subject: 'Receipt', type: 'text', document: 'Receipt' }
  const { _id } = await post('/transactional-emails', content)
  await post('/send-transactional', { transactionalId: _id, email: 'ada@example.org', data: {} })
  await until(() => ses.sns.posts.some(({ status }) => status === 503))
  await stopServer(killed, 'SIGKILL')

  ses.failWith(() => undefined)
  const next = await startBuiltServer(data.path, { ...environment, POSTHORN_ROLES: 'worker' })
  closing.push(() => stopServer(next))
  await until(async () => {
    const { items } = await get(`/transactional-emails/${_id}/recipients`)
    return items.some(({ status }) => status === 'sent')
  })
  await ses.sns.settled()
  expect(ses.sent.map(({ to }) => to)).toEqual([['ada@example.org']])
})
