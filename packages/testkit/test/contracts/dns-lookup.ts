import type { DnsLookup } from '@posthorn/core/ports/runtime'
import { describe, expect, it } from 'vitest'
import { freshStore } from './under-test/store.js'

/** Sets the records of a name as text, an MX as `10 mx.example.com`; an Error means that no server responds. */
type Say = (type: 'CNAME' | 'TXT' | 'MX', name: string, values: readonly string[] | Error) => void

type MakeDns = () => Promise<{ readonly dns: DnsLookup; readonly say: Say; readonly close: () => Promise<void> }>

/** Every method of `DnsLookup`, for a DNS without names at first. */
export const dnsLookupContract = (name: string, make: MakeDns) => {
  describe(`${name}: a lookup`, () => {
    const world = freshStore(make)

    it('finds records of each type under one name', async () => {
      const { dns, say } = world()
      say('TXT', 'mail.example.com', ['v=spf1 -all'])
      say('MX', 'mail.example.com', ['10 mx.example.org'])
      say('CNAME', 'www.example.com', ['example.com'])
      expect(await dns.txt('mail.example.com')).toEqual(['v=spf1 -all'])
      expect(await dns.mx('mail.example.com')).toEqual([{ exchange: 'mx.example.org', priority: 10 }])
      expect(await dns.cname('www.example.com')).toEqual(['example.com'])
    })

    it('finds several records, with texts as they are spelled', async () => {
      const { dns, say } = world()
      say('TXT', 'a.example.com', ['One', 'two', 'v=DMARC1; p=none;'])
      say('MX', 'a.example.com', ['20 b.example.org', '10 a.example.org'])
      expect((await dns.txt('a.example.com')).toSorted()).toEqual(['One', 'two', 'v=DMARC1; p=none;'])
      const found = (await dns.mx('a.example.com')).map(({ priority, exchange }) => `${priority} ${exchange}`)
      expect(found.toSorted()).toEqual(['10 a.example.org', '20 b.example.org'])
    })

    it('finds a name in any case', async () => {
      const { dns, say } = world()
      say('CNAME', 'Www.Example.com', ['example.com'])
      expect(await dns.cname('wWW.example.COM')).toEqual(['example.com'])
    })

    it('is empty if the name or record does not exist', async () => {
      const { dns, say } = world()
      say('TXT', 'bare.example.com', [])
      for (const asked of ['bare.example.com', 'nowhere.example.com'])
        expect([await dns.txt(asked), await dns.mx(asked), await dns.cname(asked)]).toEqual([[], [], []])
    })

    it('throws while no server responds, and works again afterwards', async () => {
      const { dns, say } = world()
      say('TXT', 'down.example.com', new Error('SERVFAIL'))
      await expect(dns.txt('down.example.com')).rejects.toBeInstanceOf(Error)
      say('TXT', 'down.example.com', ['up'])
      expect(await dns.txt('down.example.com')).toEqual(['up'])
    })
  })
}
