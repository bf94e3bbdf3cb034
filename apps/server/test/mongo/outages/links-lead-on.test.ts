import { openMongoStore } from '@posthorn/adapters-mongo'
import { locallyCopiedFiles, nodeSecrets, objectIdGenerator, systemClock, systemSleep } from '@posthorn/adapters-node'
import { createCore, serverMailer } from '@posthorn/core'
import { inMemoryPorts, recordingMailer, sampleProject } from '@posthorn/testkit'
import { expect, it } from 'vitest'
import { onMongoDB } from '../../../../../packages/adapters-mongo/test/on-mongodb.js'
import { temporaryDirectory, until } from '../../../../../tests/server-process.js'
import { databaseOn, startOwnServer } from '../own-server.js'

const patience = 60_000

onMongoDB('a link of a mail that another process has made', () => {
  it(
    'redirect while the database is down, and the processes query it only every few seconds',
    async () => {
      const server = await startOwnServer()
      const closing: (() => unknown)[] = [server.stop]
      try {
        const node = async (mailer = recordingMailer()) => {
          const data = temporaryDirectory()
          const commands: string[] = []
          const onCommand = ({ name, collection }: { name: string; collection?: string | undefined }) =>
            void commands.push(`${name} ${collection}`)
          const store = await openMongoStore({ url: databaseOn(server.url, 'posthorn'), log: () => {}, onCommand })
          const files = locallyCopiedFiles({
            ...{ files: store.files, below: 'links', directory: data.path, log: () => {}, lookTime: 200 },
          })
          closing.unshift(data.remove, store.close, files.stop)
          const { ports } = inMemoryPorts()
          const core = createCore({
            ...ports,
            ...store,
            files,
            ...{
              clock: systemClock,
              sleep: systemSleep,
              newId: objectIdGenerator(systemClock),
              mailers: serverMailer(mailer),
            },
            secrets: nodeSecrets(['a secret for these tests only']),
          })
          return { core, store, files, mailer, commands }
        }
        const [sending, answering] = [await node(), await node()]
        answering.files.start()
        const { scope } = await sampleProject(sending.core)
        const { _id: transactionalId } = await sending.core.transactionalEmails.create(scope, {
          ...{ name: 'Order', subject: 'Order', type: 'html' },
          document: '<body><a href="https://shop.example.com/">Shop</a></body>',
        })
        await sending.core.sends.transactional(scope, { transactionalId, email: 'buyer@example.com' })
        await sending.core.worker.runUntilIdle()
        const mime = (sending.mailer.sent[0]?.mime ?? '').replaceAll('=\r\n', '')
        const [, token = '', ref = ''] = /\/c\/([\w-]+)\/(\d+)/.exec(mime) ?? []
        let key = ''
        for await (const one of sending.store.files.each('links')) key = one.key
        expect(key).toMatch(/^links\/[\da-f]{12}$/)
        await until(() => answering.commands.includes('find files.chunks'))
        answering.commands.splice(0)
        await until(() => answering.commands.length >= 3)
        expect(new Set(answering.commands)).toEqual(new Set(['find files.files']))
        await server.stop()
        expect((await answering.core.tracking.findLink({ token, ref }))?.target).toBe('https://shop.example.com/')
      } finally {
        for (const close of closing) await close()
      }
    },
    patience,
  )
})
