import { type Scene, type Stage, unless } from '../scene.js'

const receipt = (stage: Stage) =>
  stage.asAttacker.made('/transactional-emails', { name: 'R', subject: 'R', type: 'text', document: '{{n}}' })

const refusedWell = (what: string, { status, text }: { readonly status: number; readonly text: string }) =>
  unless(status >= 400 && status < 500 && text.length < 10_000, `${what}: ${status}, an answer of ${text.length} bytes`)

const mail = { to: 'reader@example.com', subject: 'S', text: 'T' }
const addresses = Array.from({ length: 50 }, (_, n) => `reader${n}@example.com`)
const later = () => new Date(Date.now() + 86_400_000).toISOString()

/** Sends whose content comes with the request, and batches. */
export const sendScenes: readonly Scene[] = [
  {
    name: 'batches of 500 mails with 1 MB of data, and of 39 MB',
    run: async (stage) => {
      const { asAttacker, size } = stage
      const transactionalId = await receipt(stage)
      const batchOf = (characters: number) => ({
        transactionalId,
        mails: Array.from({ length: 500 }, (_, n) => ({
          email: `reader${n}@example.com`,
          data: { n, text: 'x'.repeat(characters) },
        })),
      })
      for (let n = 0; n < size(20, 2); n += 1) await asAttacker.post('/send-transactional/batch', batchOf(1_900))
      const large = await asAttacker.post('/send-transactional/batch', batchOf(size(78_000, 8_000)))
      const many = await asAttacker.post('/send-transactional/batch', {
        transactionalId,
        mails: Array.from({ length: size(1_000_000, 100_000) }, () => 1),
      })
      return [...refusedWell('39 MB of data', large), ...refusedWell('a million mails', many)]
    },
  },
  {
    name: 'line breaks and foreign fields in headers, subjects, tags and addresses',
    run: async ({ asAttacker }) => {
      const broken = 'a\r\nBcc: victim@example.com\r\n\r\nbody'
      const hostile = [
        { headers: { 'X-A': broken } },
        { headers: { 'X-A: b\r\nBcc': 'victim@example.com' } },
        { headers: { bcc: 'victim@example.com' } },
        { headers: { 'X-SES-SOURCE-ARN': 'arn:aws:ses:us-east-1:1:identity/victim.example' } },
        { headers: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`X-${n}`, 'x'])) },
        { headers: { 'X-Long': 'x'.repeat(900_000) } },
        { subject: broken },
        { tags: [broken] },
        { replyTo: broken },
        { to: `reader@example.com\r\nBcc: victim@example.com` },
      ]
      const answers = []
      for (const one of hostile) answers.push(await asAttacker.post('/send', { ...mail, ...one }))
      return answers.flatMap((answer, n) => refusedWell(`hostile field ${n}`, answer))
    },
  },
  {
    name: 'template bombs in the HTML of a send',
    run: async ({ asAttacker, size }) => {
      const bombs = [
        '{{#if a}}'.repeat(size(56_000, 5_000)),
        '{{a}}'.repeat(size(150_000, 20_000)),
        `{{#if ${'(OR '.repeat(20_000)}a${')'.repeat(20_000)}}}b{{/if}}`,
      ]
      const answers = []
      for (const html of bombs) answers.push(await asAttacker.post('/send', { to: addresses, subject: 'S', html }))
      const data = { a: Array.from({ length: 300 }, () => 1), s: 'x'.repeat(size(900_000, 100_000)) }
      const html = '{{#each a}}{{#each ../a}}{{CAPITALIZE ../../s}}{{/each}}{{/each}}'
      await asAttacker.post('/send', { to: addresses, subject: 'S', html, data })
      await asAttacker.post('/send', {
        to: addresses,
        subject: 'S',
        html: '{{'.repeat(size(400_000, 40_000)),
        raw: true,
      })
      return answers.flatMap((answer, n) => refusedWell(`bomb ${n}`, answer))
    },
  },
  {
    name: '50 recipients with 25 MB of attachments, again and again',
    run: async ({ asAttacker, size }) => {
      const content = Buffer.alloc(size(25 * 1024 * 1024, 3_400_000), 7).toString('base64')
      const attachments = [{ filename: 'a.bin', content }]
      for (let n = 0; n < size(8, 1); n += 1) await asAttacker.post('/send', { ...mail, to: addresses, attachments })
      return []
    },
  },
  {
    name: 'thousands of cancellations of one scheduled send',
    run: async ({ asAttacker, size }) => {
      const { result } = await asAttacker.post('/send', { ...mail, sendAt: later() })
      const { dispatchId = 'none' } = (result ?? {}) as { readonly dispatchId?: string }
      const answers: { readonly status: number }[] = []
      for (let left = size(5_000, 200); left > 0; left -= 50)
        answers.push(
          ...(await Promise.all(Array.from({ length: 50 }, () => asAttacker.post(`/send/${dispatchId}/cancel`, {})))),
        )
      const wrong = answers.filter(({ status }) => status !== 200 && status !== 429)
      return unless(wrong.length === 0, `cancelling: ${wrong.length} answers such as ${wrong[0]?.status}`)
    },
  },
]
