import { aContact, aDelivery, aDispatch, numberedId } from '@posthorn/testkit'
import { openSqliteStore } from '../src/index.js'

/**
 * A process of its own that writes contacts and accepts dispatches, twenty at a time, until it is killed or has written so many,
 * and says the number of each when it is durable: `writer.ts <file> <first number> <how many>`.
 */
const [file = '', first = '', many = ''] = process.argv.slice(2)
const { repositories, deliveries, close } = openSqliteStore({ file })
const end = Number(first) + Number(many)
let next = Number(first)

const say = (text: string) => new Promise<void>((resolve) => void process.stdout.write(text, () => resolve()))

const write = async (): Promise<void> => {
  while (next < end) {
    const n = next
    next += 1
    const dispatchId = numberedId(n)
    await Promise.all([
      repositories.contacts.add(aContact({ _id: numberedId(n), email: `contact${n}@example.com` })),
      repositories.projects.change({ _id: numberedId(0xb) }, (project) => ({
        ...project,
        name: `${Number(project.name) + 1}`,
      })),
      deliveries.accept({
        dispatch: aDispatch({ _id: dispatchId, stage: 'single' }),
        deliveries: [aDelivery({ dispatchId, contactId: numberedId(n) })],
        takes: [{ key: 'credit', n: 1 }],
      }),
    ])
    await say(`${n}\n`)
  }
}

await Promise.all(Array.from({ length: 20 }, write))
await close()
