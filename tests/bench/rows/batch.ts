import { apiOf } from '../bed/installation.js'
import { sendRequests } from '../bed/requests.js'
import { costs, percentiles, type Row, resultOf } from '../row.js'

const [connections, mailsInBatch, bytes] = [4, 500, 1_200]

/** send-transactional/batch, durable before it is answered; its mails are sent meanwhile. */
export const batch: Row = {
  name: 'batch',
  skipped: ({ mailer }) => (mailer === 'ses' ? 'the bare loop of this row speaks SMTP' : undefined),
  run: async (bed) => {
    const installation = await bed.installation(bed.options.recipients)
    return bed.serving(installation, async ({ server, sink, metered }) => {
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
      while ((await sink.report()).mails < mails) await new Promise((resolve) => setTimeout(resolve, 50))
      return [
        resultOf({
          name: 'batch',
          recipients: installation.contacts,
          rate: (mails * 1000) / value.milliseconds,
          unit: 'mails',
          bareRate: await sink.bareRate(mails, bytes),
          ...percentiles(value.took),
          ...costs(used, mails),
          more: { requests, connections, mailsInBatch },
        }),
      ]
    })
  },
}
