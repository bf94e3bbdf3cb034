// Runs in a project outside this repository, which has the packed client: `send`, or `follow <address>`. Prints JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Posthorn, verifyWebhook } from '@posthorn/client'

const { POSTHORN_URL, POSTHORN_PROJECT, POSTHORN_KEY } = process.env
const posthorn = new Posthorn({
  baseUrl: POSTHORN_URL,
  projectId: POSTHORN_PROJECT,
  apiKey: POSTHORN_KEY,
  // Other tests may keep the machine busy.
  timeout: 120_000,
})
const secretKey = `whsec_${Buffer.from('a secret of the calling program').toString('base64')}`

const people = Array.from({ length: 5_000 }, (_, n) => ({ email: `person${n}@example.net`, name: `Person ${n}` }))
const receipt = {
  name: 'Receipt',
  subject: 'Your order {{order}}',
  type: 'html',
  document: '<p>Order {{order}}: <a href="https://shop.example.com/orders">Yours</a></p>',
}

const send = async () => {
  const contacts = await posthorn.contacts.bulk({ contacts: people }, {}, { idempotencyKey: 'nightly-sync' })
  const { _id } = await posthorn.transactionalEmails.create(receipt, { idempotencyKey: 'receipt' })
  const mails = people.slice(0, 500).map(({ email }, order) => ({ email, data: { order } }))
  const batch = await posthorn.sends.batch({ transactionalId: _id, mails }, { idempotencyKey: 'receipts' })
  return { contacts, batch }
}

/** Sets the webhook, waits for a click and until the history of the address's mail says that it was posted. */
const follow = async (email) => {
  const posts = []
  const take = async (request, response) => {
    const body = await text(request)
    const event = await verifyWebhook(body, request.headers, secretKey)
    const forged = await verifyWebhook(`${body} `, request.headers, secretKey).catch(({ name }) => name)
    posts.push({ event, forged })
    response.end()
  }
  const receiver = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${receiver.address().port}/hook`
  await posthorn.webhook.set({ url, secretKey, click: true })
  await once(receiver, 'request')
  for (;;) {
    const { items } = await posthorn.deliveries.list({ email })
    const history = await posthorn.deliveries.get(items[0].deliveryId)
    if (history.webhooks.some(({ state }) => state === 'delivered')) {
      receiver.close()
      return { posts, history }
    }
    await new Promise((done) => setTimeout(done, 100))
  }
}

const [command, email] = process.argv.slice(2)
process.stdout.write(JSON.stringify(command === 'send' ? await send() : await follow(email)))
