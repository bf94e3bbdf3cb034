import type { DnsLookup, MailExchange, RequiredDns } from '@posthorn/core/ports'

type Type = 'CNAME' | 'TXT' | 'MX'

/** DNS as a test has it: empty at first. Names are found in any case; a name that has an Error is answered by nobody. */
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
    /** What was asked, in order: `TXT mail.example.com`. */
    asked,
    /** What that name says from now on; an MX as `10 mx.example.com`. */
    set,
    /** Adds all records that a domain requires, as a good owner does. */
    publish: ({ dkimCNAMEs, mx, spf, dmarc, tracking, ownership }: RequiredDns): void => {
      for (const { name, value } of [...dkimCNAMEs, ...(tracking ? [tracking] : [])]) set('CNAME', name, [value])
      set('MX', mx.name, [`${mx.priority} ${mx.value}`])
      for (const { name, value } of [spf, dmarc, ...(ownership ? [ownership] : [])]) set('TXT', name, [value])
    },
  }
}
