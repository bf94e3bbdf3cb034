import type { DnsLookup, MailExchange } from '@posthorn/core/ports/runtime'
import type { RequiredDns } from '@posthorn/core/ports/transport'

type Type = 'CNAME' | 'TXT' | 'MX'

/** Empty at first. Names match in any case; a name with an Error gets no response. */
export const scriptedDns = () => {
  const zone = new Map<string, readonly string[] | Error>()
  const asked: string[] = []
  const keyOf = (type: Type, name: string) => `${type} ${name.toLowerCase()}`
  const read = async (type: Type, name: string): Promise<readonly string[]> => {
    asked.push(keyOf(type, name))
    const found = zone.get(keyOf(type, name)) ?? []
    if (found instanceof Error) throw found
    return found
  }
  const exchangeOf = (text: string): MailExchange => {
    const [priority = '', exchange = ''] = text.split(' ')
    return { priority: Number(priority), exchange }
  }
  const lookup: DnsLookup = {
    cname: (name) => read('CNAME', name),
    txt: (name) => read('TXT', name),
    mx: async (name) => (await read('MX', name)).map(exchangeOf),
  }
  const set = (type: Type, name: string, values: readonly string[] | Error): void => {
    zone.set(keyOf(type, name), values)
  }
  return {
    ...lookup,
    /** In order: `TXT mail.example.com`. */
    asked,
    /** Sets the records of a name from now on; an MX as `10 mx.example.com`. */
    set,
    publish: ({ dkimCNAMEs, mx, spf, dmarc, tracking, ownership }: RequiredDns): void => {
      for (const { name, value } of [...dkimCNAMEs, ...(tracking ? [tracking] : [])]) set('CNAME', name, [value])
      set('MX', mx.name, [`${mx.priority} ${mx.value}`])
      for (const { name, value } of [spf, dmarc, ...(ownership ? [ownership] : [])]) set('TXT', name, [value])
    },
  }
}
