import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type MakeMailer, mailerContract, type ProviderTreatment, type TakenMail } from '@posthorn/testkit/contracts'
import { httpMailer } from './recipes/http-mailer.js'

const statuses: Readonly<Partial<Record<ProviderTreatment, number>>> = {
  refuses: 422,
  defers: 503,
  throttles: 429,
  'shuts-account': 401,
}

const make: MakeMailer = async ({ timeout }) => {
  const treatments = new Map<string, ProviderTreatment>()
  const taken: TakenMail[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method === 'HEAD') return response.end()
    const { from, to, message } = JSON.parse(Buffer.concat(chunks).toString())
    const treatment = treatments.get(to)
    const refusal = treatment && statuses[treatment]
    if (refusal) return response.writeHead(refusal).end('No.')
    taken.push({ from, to, mime: message })
    if (treatment === 'breaks') return response.destroy()
    return treatment === 'is-silent' ? undefined : response.end(`mail-${taken.length}`)
  }
  const provider = createServer((request, response) => void answer(request, response))
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  return {
    mailer: httpMailer(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`, 'token', timeout),
    treat: (to, treatment) => void treatments.set(to, treatment),
    taken: () => taken,
    close: async () => {
      provider.closeAllConnections()
      await new Promise((done) => provider.close(done))
    },
  }
}

mailerContract('the recipe by HTTP', make, { without: ['has-no-mailbox'] })
