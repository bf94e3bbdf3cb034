import { apiOf, type Installation } from '../bed/installation.js'
import { sendRequests } from '../bed/requests.js'
import { type Bed, costs, percentiles, type Row, resultOf } from '../row.js'

const [connections, mailsInBatch, bytes] = [4, 500, 1_200]

/** `sends`: whether the server sends the mails while it accepts more. */
const measured = (bed: Bed, installation: Installation, sends: boolean) => {
  const environment = { ...installation.environment, ...(!sends && { POSTHORN_ROLES: 'api' }) }
  return bed.serving({ ...installation, environment }, async ({ server, sink, metered }) => {
    const requests = Math.max(connections, Math.min(100, Math.floor(bed.options.recipients / mailsInBatch)))
    const mails = requests * mailsInBatch
    const api = apiOf(server.base, installation.projectId)
    const transactionalId = await api.made('/transactional-emails', {
      name: 'Receipt',
      subject: 'Receipt {{n}}',
      type: 'html',
      document: '<p>Thank you for order {{n}}.</p>',
    })
    const each = Array.from(
      { length: mailsInBatch },
      (_, n) => `{"email":"b{n}x${n}@example.com","data":{"n":"{n}-${n}"}}`,
    )
    const { value, used } = await metered(() =>
      sendRequests(server, {
        connections,
        requests,
        method: 'POST',
        path: `/v1/projectId/${installation.projectId}/send-transactional/batch`,
        headers: api.authorization,
        body: `{"transactionalId":"${transactionalId}","mails":[${each.join(',')}]}`,
      }),
    )
    while (sends && (await sink.report()).mails < mails) await new Promise((resolve) => setTimeout(resolve, 50))
    return resultOf({
      name: sends ? 'batch' : 'batch-accepted',
      recipients: installation.contacts,
      rate: (mails * 1000) / value.milliseconds,
      unit: 'mails',
      bareRate: await sink.bareRate(mails, bytes),
      ...percentiles(value.took),
      ...costs(used, mails),
      more: { requests, connections, mailsInBatch },
    })
  })
}

/** send-transactional/batch, durable before it is answered: beside a worker that sends, then without one. */
export const batch: Row = {
  name: 'batch',
  skipped: ({ mailer }) => (mailer === 'ses' ? 'the bare loop of this row speaks SMTP' : undefined),
  run: async (bed) => {
    const installation = await bed.installation(bed.options.recipients)
    return [await measured(bed, installation, true), await measured(bed, installation, false)]
  },
}
