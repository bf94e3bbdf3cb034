import type { Bed, BenchOptions, Sink } from '../row.js'
import type { BareSesCalls } from './bare-ses.js'
import type { BareSmtpCalls } from './bare-smtp.js'
import { startProcess } from './calls.js'
import { type Environment, type Installation, makeInstallation, startServer } from './installation.js'
import { startMeter } from './meter.js'
import { startMongo } from './mongo.js'
import type { SesSinkCalls } from './ses-sink.js'
import type { SinkCalls } from './smtp-sink.js'

/** Connections of the server and of the bare loop alike. */
const connections = 10

type OpenSink = { readonly sink: Sink; readonly environment: Environment; readonly stop: () => Promise<unknown> }

const smtpSink = async (): Promise<OpenSink> => {
  const sink = startProcess<SinkCalls>(new URL('./smtp-sink.ts', import.meta.url))
  const port = await sink.call('port')
  return {
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}?pool=${connections}`, POSTHORN_MAILER: 'smtp' },
    sink: {
      reset: () => sink.call('reset'),
      report: () => sink.call('report'),
      bareRate: async (mails, bytes) => {
        const loop = startProcess<BareSmtpCalls>(new URL('./bare-smtp.ts', import.meta.url))
        try {
          return await loop.call('run', { port, connections, mails, bytes })
        } finally {
          await loop.stop()
        }
      },
    },
    stop: sink.stop,
  }
}

const sesSink = async (): Promise<OpenSink> => {
  const sink = startProcess<SesSinkCalls>(new URL('./ses-sink.ts', import.meta.url))
  const port = await sink.call('port')
  return {
    environment: {
      POSTHORN_MAILER: 'ses',
      POSTHORN_SES_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_SESV2: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'AKIDLOCAL',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    sink: {
      reset: () => sink.call('reset'),
      report: () => sink.call('report'),
      bareRate: async (mails, bytes) => {
        const loop = startProcess<BareSesCalls>(new URL('./bare-ses.ts', import.meta.url))
        try {
          return await loop.call('run', { port, connections: 50, mails, bytes })
        } finally {
          await loop.stop()
        }
      },
    },
    stop: sink.stop,
  }
}

/** What rows measure on. Everything that was started is ended, and removed, by `close`. */
export const makeBed = async (
  options: BenchOptions,
): Promise<Bed & { readonly store: string; readonly close: () => Promise<void> }> => {
  const mongo = options.store === 'mongodb' ? await startMongo() : undefined
  const installations = new Map<number, Promise<Installation>>()

  const storeAddress = (name: string): Environment => mongo?.database(name) ?? {}

  return {
    store: mongo?.name ?? 'sqlite',
    options,
    storeAddress,
    installation: (contacts) => {
      const made =
        installations.get(contacts) ?? makeInstallation({ contacts, store: storeAddress(`bench_${contacts}`) })
      installations.set(contacts, made)
      return made
    },
    serving: async (installation, work, mailer = options.mailer) => {
      const { sink, environment, stop } = await (mailer === 'ses' ? sesSink() : smtpSink())
      const server = await startServer({ ...installation.environment, ...environment }).catch(
        async (error: unknown) => {
          await stop()
          throw error
        },
      )
      try {
        return await work({
          server,
          sink,
          metered: async (timed) => {
            const meter = startMeter([server.pid])
            try {
              const value = await timed()
              return { value, used: meter.stop() }
            } finally {
              meter.stop()
            }
          },
        })
      } finally {
        await server.stop()
        await stop()
      }
    },
    mongoCommands: async () => {
      const counts = await mongo?.tap.call('counts')
      await mongo?.tap.call('reset')
      return counts
    },
    close: async () => {
      for (const made of installations.values())
        await made.then(
          (one) => one.remove(),
          () => undefined,
        )
      await mongo?.stop()
    },
  }
}
