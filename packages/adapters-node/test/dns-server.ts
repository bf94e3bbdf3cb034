import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createTCPServer, createUDPServer, Packet } from 'dns2'

type Type = 'CNAME' | 'TXT' | 'MX' | 'A'
type Value = Partial<Packet['answers'][number]>
/** Codes of RFC 1035 section 4.1.1. */
const codes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const
type Said = readonly Value[] | keyof typeof codes | 'silence' | 'rubbish'

/** A DNS server on loopback, over UDP and TCP, that says what a test tells it; other names do not exist. */
export const dnsServer = async () => {
  const zone = new Map<string, Said>()
  const asked: string[] = []
  const keyOf = (type: number | undefined, name: string) => `${type} ${name.toLowerCase()}`

  const answerTo = (request: Packet): Packet | Buffer | undefined => {
    const [question] = request.questions
    const [name, type] = [question?.name ?? '', question?.type]
    asked.push(name)
    const said = zone.get(keyOf(type, name)) ?? 'NXDOMAIN'
    if (said === 'silence') return undefined
    if (said === 'rubbish') return Buffer.from('no DNS at all')
    const response = Packet.createResponseFromRequest(request)
    if (typeof said === 'string') response.header.rcode = codes[said]
    else for (const value of said) response.answers.push(new Packet.Resource({ name, class: 1, ttl: 60, ...value }))
    return response
  }
  const handle = (request: Packet, send: (response: Packet | Buffer) => Promise<Buffer>) => {
    const answer = answerTo(request)
    if (answer) void send(answer)
  }
  const tcp = createTCPServer(handle).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createUDPServer(handle)
  await udp.listen(port, '127.0.0.1')

  const say = (type: Type, name: string, said: Said): void => {
    const values = typeof said === 'string' ? said : said.map((value) => ({ type: Packet.TYPE[type], ...value }))
    zone.set(keyOf(Packet.TYPE[type], name), values)
  }
  return {
    /** As `dnsLookup` takes it. */
    address: `127.0.0.1:${port}`,
    /** The names that were asked for, one for each try. */
    asked: asked as readonly string[],
    say,
    close: async (): Promise<void> => {
      const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')])
      udp.close()
      tcp.close()
      await closed
    },
  }
}
