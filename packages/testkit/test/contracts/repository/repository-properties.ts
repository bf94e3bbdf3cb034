import { type Contact, collected, KeyTaken, type Repository, records, type Where } from '@posthorn/core/ports/storage'
import { aContact, inMemoryRepository, numberedId } from '@posthorn/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ContractOptions, type MakeStore, onFreshStore } from '../under-test/store.js'

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'a', 'A', 'b', 'ä', '\uffee', '10', '9', "'", '%', 'a.b', '$a') },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.integer({ min: 1, max: 0x2fff }).map((n) => String.fromCodePoint(n)) }),
  },
)
const date = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z')
const _id = fc.integer({ min: 1, max: 9 }).map(numberedId)
const projectId = fc.constantFrom(numberedId(0xb1), numberedId(0xb2))
const emailKey = fc.constantFrom('a@x.org', 'b@x.org', 'c@x.org', 'd@x.org')
const number = fc.constantFrom(-1, 0, 0.5, 1, 10, 9)

const contact: fc.Arbitrary<Contact> = fc
  .record(
    {
      _id,
      projectId,
      emailKey,
      name: text,
      tags: fc.uniqueArray(text, { maxLength: 3 }),
      lastOpenDate: date,
      customFields: fc.record({ city: text, age: number, vip: fc.boolean() }, { requiredKeys: [] }),
    },
    { requiredKeys: ['_id', 'projectId', 'emailKey', 'name', 'tags', 'customFields'] },
  )
  .map((given) => aContact(given))

/** Every store has these in the same two cases. */
const part = fc.constantFrom('', 'a', 'A', 'Ä', '%', '.', '1').map((containing) => ({ containing }))

const oneOrSome = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, fc.array(value, { maxLength: 3 }))

const where = fc.record(
  {
    _id: oneOrSome(_id),
    projectId: oneOrSome(projectId),
    emailKey: oneOrSome(emailKey),
    name: fc.oneof(oneOrSome(text), part),
    tags: fc.oneof(oneOrSome(text), part),
    lastOpenDate: fc.oneof(date, fc.constant(undefined)),
    'customFields.city': fc.oneof(oneOrSome(text), fc.constant(undefined)),
    'customFields.age': oneOrSome(number),
    'customFields.vip': fc.boolean(),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Where<Contact>>

/** Few conditions match often and many match seldom; the properties need both. */
const narrow = fc.oneof(
  where,
  _id.map((id): Where<Contact> => ({ _id: id })),
  projectId.map((id): Where<Contact> => ({ projectId: id })),
)

type Command = { readonly says: string; readonly run: (contacts: Repository<Contact>) => Promise<unknown> }

const command = fc.oneof<fc.Arbitrary<Command>[]>(
  fc.record({ says: fc.constant('add'), record: contact }).map(({ says, record }) => ({
    says,
    run: (contacts) => contacts.add(record),
  })),
  fc.tuple(narrow, contact).map(([fits, changed]) => ({
    says: 'change',
    run: (contacts) => contacts.change(fits, (one) => ({ ...changed, _id: one._id })),
  })),
  fc
    .tuple(narrow, text, fc.option(_id, { nil: undefined }), fc.integer({ min: 1, max: 4 }))
    .map(([fits, name, after, limit]) => ({
      says: 'changeNext',
      run: (contacts) => contacts.changeNext(fits, (one) => ({ ...one, name }), { after, limit }),
    })),
  narrow.map((fits) => ({ says: 'get', run: (contacts) => contacts.get(fits) })),
  narrow.map((fits) => ({ says: 'each', run: (contacts) => collected(contacts.each(fits)) })),
  narrow.map((fits) => ({ says: 'remove', run: (contacts) => contacts.remove(fits) })),
  where.map((fits) => ({ says: 'removeAll', run: (contacts) => contacts.removeAll(fits) })),
  fc
    .record({
      where: narrow,
      by: fc.constantFrom('_id', 'name', 'emailKey', 'lastOpenDate', 'createdAt', 'lastClickDate'),
      order: fc.constantFrom('asc', 'desc'),
      skip: fc.nat(3),
      limit: fc.integer({ min: 1, max: 5 }),
    })
    .map(({ by, order, ...query }) => ({
      says: `list by ${by} ${order}`,
      run: (contacts) => contacts.list({ ...query, sort: { by, order } as { by: 'name'; order: 'asc' } }),
    })),
)

/** A comparable result. Refusals are equal whatever their key, because two keys may be taken at once. */
const answerOf = async ({ says, run }: Command, contacts: Repository<Contact>): Promise<unknown> => {
  try {
    return [says, await run(contacts)]
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    return [says, 'a key is taken']
  }
}

/** For any sequence of calls, the store returns the same as the store in memory. */
export const repositoryProperties = (make: MakeStore, { runs = 50 }: ContractOptions) => {
  it('returns the same as the in-memory repository for any sequence of commands', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40, size: 'max' }), (commands) =>
        onFreshStore(make, async ({ repositories: { contacts } }) => {
          const model = inMemoryRepository('contacts', records.contacts)
          for (const one of commands) expect(await answerOf(one, contacts)).toStrictEqual(await answerOf(one, model))
          expect(await collected(contacts.each({}))).toStrictEqual(await collected(model.each({})))
        }),
      ),
      { numRuns: runs },
    )
  })
}
