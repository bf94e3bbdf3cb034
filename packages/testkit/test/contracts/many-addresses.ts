import { createCore } from '@posthorn/core'
import { storePortsOf } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { freshStore, type MakeStore } from './under-test/store.js'

const named = 20_000
const readers = 50
const patience = 60_000

/** One send of the embedding program to more addresses than a request may name. */
export const manyAddressesContract = (name: string, make: MakeStore) => {
  describe(`${name}: a send to ${named} addresses`, () => {
    const store = freshStore(make)

    it(
      'creates a delivery for each, and sends to those on the list',
      async () => {
        const { ports, mailer } = inMemoryPorts({ ...storePortsOf(store()), storeClock: undefined })
        const core = createCore(ports)
        const project = await sampleProject(core, { credits: readers })
        await project.subscribe(readers)
        const scope = { ...project.scope, caller: 'operator' } as const
        const { _id: triggeredId } = await core.triggeredEmails.create(scope, {
          name: 'News',
          subject: 'News',
          type: 'text',
          document: 'leave: {{unsubscribeLink}}',
          subscriberListId: project.list._id,
        })
        // The readers are among the last addresses, so that all earlier pages must be read.
        const emails = Array.from({ length: named }, (_, n) => `reader${named - n}@example.com`)
        const { dispatchId } = await core.sends.triggered(scope, { triggeredId, emails })
        expect(await project.credits()).toBe(0)
        await core.worker.runUntilIdle()
        expect(new Set(mailer.sent.map(({ to }) => to))).toEqual(new Set(emails.slice(-readers)))
        expect(mailer.sent).toHaveLength(readers)
        const { byStatus, excluded } = await store().deliveries.tally(dispatchId)
        expect(byStatus).toMatchObject({ sent: readers, excluded: named - readers, queued: 0, sending: 0 })
        expect(excluded).toEqual({ 'not-subscribed': named - readers })
        expect((await store().repositories.dispatches.get({ _id: dispatchId }))?.stage).toBe('finished')
      },
      patience,
    )
  })
}
