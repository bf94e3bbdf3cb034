import { sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { copyStore } from '../../src/copying/copy-store.js'
import type { CopyTarget } from '../../src/copying/stores.js'
import type { Store } from '../../src/store.js'
import { clock, contentOf, coreOn, fill, readers, waiting } from './lived-in-store.js'

export type OpenedStore = Omit<Store, 'jobs' | 'heldMails' | 'ready'>

const quiet = () => {}
const keysOf = async ({ files }: Pick<OpenedStore, 'files'>) => {
  const keys: string[] = []
  for await (const { key } of files.each('links')) keys.push(key.slice('links/'.length))
  return keys.toSorted()
}

/** A server of the tests, and others beside it, may take their time. */
const patience = 120_000

/** A store whose writes fail from the given one on, as if the machine had died. */
const failing = (store: OpenedStore, writes: number): CopyTarget => {
  let left = writes
  const guarded = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function' || !/^(add|change|put|take|give|accept|expand)$/.test(String(name)))
          return value
        return async (...args: unknown[]) => {
          left -= 1
          if (left < 0) throw new Error('The machine has died')
          return value.apply(target, args)
        }
      },
    })
  const repositories = Object.fromEntries(Object.entries(store.repositories).map(([kind, one]) => [kind, guarded(one)]))
  return {
    repositories: repositories as unknown as CopyTarget['repositories'],
    counters: guarded(store.counters),
    deliveries: guarded(store.deliveries),
    figures: guarded(store.figures),
    files: guarded(store.files),
  }
}

/** What a copy from the first store to the second has to keep: both are made empty, and of whatever kind. */
export const copyingSuite = (name: string, make: () => Promise<readonly [from: OpenedStore, to: OpenedStore]>) => {
  const onBoth = async (work: (from: OpenedStore, to: OpenedStore) => Promise<void>) => {
    const [from, to] = await make()
    try {
      await work(from, to)
    } finally {
      await from.close()
      await to.close()
    }
  }

  describe(`a copy ${name}`, { timeout: patience }, () => {
    it('has the same content, and can be used', () =>
      onBoth(async (from, to) => {
        const [acme] = await fill(from)
        const shares: number[] = []
        const copied = await copyStore({ from, to, clock: clock.now, progress: (n, of) => shares.push(n / of) })
        expect(copied.map((one) => one.of)).toEqual(['account', 'project', 'account', 'project'])
        expect(copied[1]?.verified?.find(({ what }) => what === 'deliveries')?.count).toBe(readers + waiting.length)
        expect(shares).toEqual(shares.toSorted((a, b) => a - b))
        expect(await contentOf(to)).toEqual(await contentOf(from))
        const { core, mailer } = coreOn(to)
        await core.worker.runUntilIdle()
        const mails = mailer.sent.filter(({ projectId }) => projectId === acme?.project._id)
        expect(mails.map((mail) => mail.to).toSorted()).toEqual(waiting)
        expect(mails[0]?.mime).toContain('receipt.txt')
      }))

    it('keeps links of earlier mails working, and overwrites none', () =>
      onBoth(async (from, to) => {
        const { scope } = await sampleProject(coreOn(from).core)
        const { core, mailer } = coreOn(from)
        const linkTo = async (target: string) => {
          const document = `<body><a href="${target}">Shop</a></body>`
          const email = { name: target, subject: 'Order', type: 'html', document } as const
          const { _id: transactionalId } = await core.transactionalEmails.create(scope, email)
          await core.sends.transactional(scope, { transactionalId, email: 'buyer@example.com' })
          await core.worker.runUntilIdle()
          const mime = (mailer.sent.at(-1)?.mime ?? '').replaceAll('=\r\n', '')
          const [, token = '', ref = ''] = /\/c\/([\w-]+)\/(\d+)/.exec(mime) ?? []
          return { token, ref }
        }
        const shop = await linkTo('https://shop.example.com/')
        await copyStore({ from, to, clock: clock.now, progress: quiet })
        const order = await linkTo('https://shop.example.com/order')
        const before = await to.files.get(`links/${(await keysOf(to))[0]}`)
        await copyStore({ from, to, clock: clock.now, progress: quiet })
        const { tracking } = coreOn(to).core
        expect((await tracking.findLink(shop))?.target).toBe('https://shop.example.com/')
        expect((await tracking.findLink(order))?.target).toBe('https://shop.example.com/order')
        expect(await keysOf(to)).toEqual(await keysOf(from))
        expect(before).toBeDefined()
      }))

    it('continues wherever it was interrupted, and counts nothing twice', () =>
      onBoth(async (from, to) => {
        await fill(from)
        let tries = 0
        for (let done = false; !done; tries += 1)
          done = await copyStore({ from, to: failing(to, 40 * 2 ** tries), clock: clock.now, progress: quiet }).then(
            () => true,
            (error: Error) => {
              expect(error.message).toBe('The machine has died')
              return false
            },
          )
        expect(tries).toBeGreaterThan(5)
        expect(await contentOf(to)).toEqual(await contentOf(from))
      }))

    it('copies one project with its account, and others later', () =>
      onBoth(async (from, to) => {
        const [, other] = await fill(from)
        const projectId = other?.project._id
        await copyStore({ from, to, projectId, clock: clock.now, progress: quiet })
        expect((await contentOf(to)).records.projects).toHaveLength(1)
        const rest = await copyStore({ from, to, clock: clock.now, progress: quiet })
        expect(rest.map(({ verified }) => verified !== undefined)).toEqual([true, true, false, false])
        expect(await contentOf(to)).toEqual(await contentOf(from))
      }))

    it('keeps changes that were made at the target since', () =>
      onBoth(async (from, to) => {
        await fill(from)
        await copyStore({ from, to, clock: clock.now, progress: quiet })
        await coreOn(to).core.worker.runUntilIdle()
        const before = await contentOf(to)
        await copyStore({ from, to, clock: clock.now, progress: quiet })
        expect(await contentOf(to)).toEqual(before)
      }))

    it('does not create a project whose data changed during the copy, and says what differs', () =>
      onBoth(async (from, to) => {
        const [, other] = await fill(from)
        if (!other) throw new Error('There is no other project')
        const { scope, project } = other
        const interfering: CopyTarget = {
          ...to,
          counters: {
            ...to.counters,
            take: async (takes) => {
              await coreOn(from).core.suppressions.create(scope, { email: `${takes[0]?.key.slice(0, 5)}@example.com` })
              return to.counters.take(takes)
            },
          },
        }
        const copy = (end: CopyTarget) =>
          copyStore({ from, to: end, projectId: project._id, clock: clock.now, progress: quiet })
        await expect(copy(interfering)).rejects.toThrow(/differs in suppressions \(3 there, 2 copied\)\. Stop every/)
        expect(await to.repositories.projects.get({ _id: project._id })).toBeUndefined()
        await copy(to)
        expect(await to.repositories.projects.get({ _id: project._id })).toEqual(
          await from.repositories.projects.get({ _id: project._id }),
        )
      }))

    it('does not overwrite a different record with the same key, and names it', () =>
      onBoth(async (from, to) => {
        const [acme] = await fill(from)
        const [image] = (await contentOf(from)).records.galleryImages as { readonly file: string }[]
        const stranger = { ...image, _id: 'f'.repeat(24), treeId: 'f'.repeat(24) }
        await to.repositories.galleryImages.add(stranger as never)
        await expect(
          copyStore({ from, to, projectId: acme?.project._id, clock: clock.now, progress: quiet }),
        ).rejects.toThrow(/^Gallery image \w+ cannot be copied: there is another one with the same file\.$/)
        expect((await contentOf(to)).records.galleryImages).toEqual(expect.arrayContaining([stranger]))
      }))

    it('rejects an unknown project', () =>
      onBoth(async (from, to) => {
        await expect(copyStore({ from, to, projectId: 'nobody', clock: clock.now, progress: quiet })).rejects.toThrow(
          'There is no project nobody.',
        )
      }))
  })
}
