import type { CopiedFiles, hitJournal, TenantProcesses } from '@posthorn/adapters-node'
import type { Core, CorePorts, Log } from '@posthorn/core'
import type { outageLog, Secrets } from '@posthorn/core/ports/runtime'
import type { Mailer } from '@posthorn/core/ports/transport'
import type { HttpMetrics } from '@posthorn/http-express'
import type { Express } from 'express'
import type { ServiceIdentifier } from 'inversify'
import type { SesAdapters } from './adapters/ses.js'
import type { Config } from './config.js'
import type { DataDirectory } from './data-directory.js'
import type { ServerMeters } from './metrics/server-metrics.js'
import type { Store } from './store.js'
import type { Sending } from './wiring.js'

const token = <T>(name: string) => Symbol(name) as ServiceIdentifier<T>

/** Typed tokens of everything in the container. */
export const tokens = {
  config: token<Config>('config'),
  dataDirectory: token<DataDirectory>('dataDirectory'),
  log: token<Log>('log'),
  /** Part of `log`; knows whether the store is unavailable. */
  outages: token<ReturnType<typeof outageLog>>('outages'),
  secrets: token<Secrets>('secrets'),
  store: token<Store>('store'),
  /** Undefined if mails do not go through Amazon SES. */
  ses: token<SesAdapters | undefined>('ses'),
  sending: token<Sending>('sending'),
  mailer: token<Mailer>('mailer'),
  tenantProcesses: token<TenantProcesses>('tenantProcesses'),
  ports: token<CorePorts>('ports'),
  /** Undefined with a temporary store. */
  hitJournal: token<ReturnType<typeof hitJournal> | undefined>('hitJournal'),
  /** Undefined if files are in the data directory. */
  linkCopies: token<CopiedFiles | undefined>('linkCopies'),
  core: token<Core>('core'),
  meters: token<ServerMeters>('meters'),
  metrics: token<HttpMetrics>('metrics'),
  app: token<Express>('app'),
  metricsApp: token<Express>('metricsApp'),
}
