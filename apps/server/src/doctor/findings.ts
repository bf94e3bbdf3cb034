import { accessSync, constants, existsSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { certificateWarning, readCertificate } from '@posthorn/adapters-mail-in/certificate'
import { systemClock, systemSleep } from '@posthorn/adapters-node'
import { clockChecker } from '@posthorn/core/ports/runtime'
import { isLoopback } from '@posthorn/http-express'
import { pinoLog } from '../adapters/pino-log.js'
import { sesAdapters } from '../adapters/ses.js'
import { countHeldSends, heldBackText } from '../backup/held-sends.js'
import type { BackupSchedule } from '../backup/schedule.js'
import { type Config, configuredMailerKind, readConfig, WrongConfiguration } from '../config.js'
import {
  clockSetBackWarning,
  dataDirectoryEntries,
  hasStore,
  nearestExistingPath,
  openDataDirectory,
} from '../data-directory.js'
import { assertPortIsFree, listenerBaseUrl } from '../listening.js'
import {
  describeServerMark,
  serversUsingDirectory,
  severalServersHaveAllRoles,
  sharedDirectoryAdvice,
} from '../running-servers.js'
import { openStore, type Store } from '../store.js'
import { openMailer, publicUrlOf } from '../wiring.js'

/** `todo` may also improve a check that succeeded. */
export type DoctorFinding = {
  readonly what: string
  readonly ok: boolean
  readonly says: string
  readonly todo?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

type Looked = string | { readonly says: string; readonly todo?: string | undefined }

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const mailerTexts = {
  smtp: {
    answers: 'the relay answers',
    advice:
      'check SMTP_URL and whether this machine can reach it; docs/smtp.md says what a certificate of its own takes',
  },
  ses: { answers: 'Amazon SES answers, and sends', advice: undefined },
  outbox: { answers: 'mails are stored in the outbox and not sent', advice: undefined },
} as const

const check = async (what: string, look: () => Promise<Looked> | Looked, todo?: string): Promise<DoctorFinding> => {
  try {
    const looked = await look()
    return { what, ok: true, ...(typeof looked === 'string' ? { says: looked } : looked) }
  } catch (error) {
    return { what, ok: false, says: messageOf(error), todo }
  }
}

/** Accepts any certificate: it names another host than the address used here. */
const isReady = (config: Config): Promise<boolean> =>
  new Promise((resolve) => {
    const options = { timeout: 2_000, rejectUnauthorized: false }
    const request = (config.tls ? https : http).get(`${listenerBaseUrl(config, config, config.tls)}/readyz`, options)
    request.once('response', ({ statusCode }) => resolve(statusCode === 200))
    request.once('timeout', () => request.destroy(new Error('timeout')))
    request.once('error', () => resolve(false))
    request.once('response', (response) => response.resume())
  })

/** Succeeds if this running server uses the port. */
const portCheck = async (config: Config): Promise<string> => {
  try {
    await assertPortIsFree(config)
    return `${config.port} of ${config.host} is free`
  } catch (error) {
    if (!(await isReady(config))) throw error
    return `${config.port} of ${config.host} is in use by this server, which is ready`
  }
}

/** The greeting of an SMTP port, in ms at most; empty if there is none. */
const greetingPatience = 2_000

const greetingOf = ({ port, host }: Pick<Config, 'port' | 'host'>): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ port, host, timeout: greetingPatience })
    const end = (greeting: string) => {
      socket.destroy()
      resolve(greeting)
    }
    socket.once('data', (bytes) => end(bytes.toString('latin1')))
    socket.once('error', () => end('')).once('timeout', () => end(''))
  })

const submissionCheck = async (submission: NonNullable<Config['submission']>): Promise<Looked> => {
  const { port, host, certificate } = submission
  if (certificate) await readCertificate(certificate)
  const todo = certificate ? undefined : 'set POSTHORN_SUBMISSION_TLS_CERT so that other machines can sign in'
  try {
    await assertPortIsFree(submission, 'POSTHORN_SUBMISSION_PORT')
    return { says: `${port} of ${host} is free`, todo }
  } catch (error) {
    if (!/^220 \S+ ESMTP Posthorn/.test(await greetingOf(submission))) throw error
    return { says: `${port} of ${host} is in use by this server, which takes mails`, todo }
  }
}

const certificateCheck = async (files: NonNullable<Config['tls']>): Promise<Looked> => {
  const warning = certificateWarning(await readCertificate(files), new Date())
  if (warning !== undefined) throw new Error(`Clients do not trust the certificate ${files.cert}: ${warning}`)
  return `the certificate ${files.cert} is valid and has its key`
}

const silent = pinoLog('silent')

const directoryCheck = ({ dataDir }: Config): Looked => {
  const path = resolve(dataDir)
  if (existsSync(path)) {
    openDataDirectory(path, silent)
    return `${path} can be read and written`
  }
  accessSync(nearestExistingPath(path), constants.W_OK | constants.X_OK)
  return { says: `${path} does not exist yet`, todo: 'npm start creates it' }
}

/** @param onClock called if this machine's clock differs from the store's @param onHeld called if a restore holds something back */
const storeCheck = async (
  { store: kind }: Config,
  store: Store,
  onClock: (problem: string) => void,
  onHeld: (text: string) => void,
): Promise<string> => {
  await store.counters.give({ key: 'doctor', n: 1 })
  const clocks = clockChecker({ ...store, clock: systemClock, sleep: systemSleep, log: silent })
  await clocks.look()
  const problem = clocks.problem()
  if (problem !== undefined) onClock(problem)
  const held = heldBackText(await countHeldSends(store))
  if (held !== undefined) onHeld(`${held} since a restore`)
  return `${kind} can be opened and written`
}

const withStore = async (
  config: Config,
  opened: Store | undefined,
  check: (store: Store) => Promise<string>,
): Promise<string> => {
  if (opened) return check(opened)
  const store = await openStore(config, openDataDirectory(config.dataDir, silent), silent)
  try {
    return await check(store)
  } finally {
    await store.close()
  }
}

const mailerCheck = async (config: Config): Promise<string> => {
  const { answers } = mailerTexts[configuredMailerKind(config)]
  if (!config.smtp && !config.ses) return answers
  const noDomains = () => Promise.reject(new Error('Nothing is sent here'))
  const mailer = openMailer(config, { outbox: '' }, silent, config.ses && sesAdapters(config.ses, noDomains, silent))
  try {
    await mailer.check()
    return answers
  } finally {
    await mailer.close()
  }
}

const publicUrlCheck = (config: Config): Looked => {
  const publicUrl = publicUrlOf(config)
  const { hostname, protocol } = new URL(publicUrl)
  if (config.tls && protocol === 'http:')
    return {
      says: `links lead to ${publicUrl}`,
      todo: 'let POSTHORN_PUBLIC_URL begin with https, as the port speaks nothing else',
    }
  if (!isLoopback(hostname.replace(/^\[|\]$/g, ''))) return `links lead to ${publicUrl}`
  return {
    says: `links and DNS records lead to ${publicUrl}, which only this machine can reach`,
    todo: 'set POSTHORN_PUBLIC_URL to the address at which recipients reach this server before you send mails',
  }
}

const releaseAdvice = 'compare with the log of the relay, then posthorn restore --release continues all'

const storeFindings = async (config: Config, opened: Store | undefined): Promise<readonly DoctorFinding[]> => {
  if (!opened && config.store === 'sqlite' && !hasStore(config.dataDir))
    return [{ what: 'store', ok: true, says: 'does not exist yet', todo: 'npm start creates it' }]
  const advice = config.store === 'mongodb' ? 'check MONGODB_URL and whether this machine can reach it' : undefined
  const clock: DoctorFinding[] = []
  const onClock = (says: string) =>
    void clock.push({ what: 'clock', ok: false, says, todo: 'synchronise the clock, by NTP for example' })
  const setBack = config.store === 'sqlite' ? clockSetBackWarning(config.dataDir, systemClock()) : undefined
  if (setBack !== undefined) onClock(setBack)
  const held: DoctorFinding[] = []
  const onHeld = (says: string) => void held.push({ what: 'restored sends', ok: true, says, todo: releaseAdvice })
  const store = await check(
    'store',
    () => withStore(config, opened, (open) => storeCheck(config, open, onClock, onHeld)),
    advice,
  )
  return [store, ...clock, ...held]
}

const readFindings = (environment: Environment): Config | readonly DoctorFinding[] => {
  try {
    return readConfig({ ...environment, POSTHORN_LOG_LEVEL: 'silent' })
  } catch (error) {
    const wrong = error instanceof WrongConfiguration ? error.violations : [messageOf(error)]
    return wrong.map((violation) => ({
      what: 'configuration',
      ok: false,
      says: violation,
      todo: 'correct that variable',
    }))
  }
}

const eventsFindings = async (config: Config): Promise<readonly DoctorFinding[]> => {
  const { ses } = config
  if (!ses) return []
  const { region, topicArn, configurationSet, eventsQueue: queueUrl } = ses
  const setup = 'npm run posthorn -- ses setup creates the missing resources'
  if (topicArn === undefined)
    return [{ what: 'events', ok: true, says: 'bounces and complaints are not received', todo: setup }]
  const { sesEventsCheck } = await import('@posthorn/adapters-ses/setup')
  const endpoint = `${publicUrlOf(config)}/v1/ses/events`
  const found = await sesEventsCheck({ region, topicArn, configurationSet, endpoint, queueUrl })
  return found.map((one) => ({ ...one, todo: one.ok ? undefined : setup }))
}

const hours = (milliseconds: number) => `${(milliseconds / 3_600_000).toFixed(1)} hours`

/** The newest one is at most two intervals old. */
const backupCheck = async ({ directory, everySeconds }: BackupSchedule, isSealed: boolean): Promise<Looked> => {
  const { lastBackupAt } = await import('../backup/schedule.js')
  const at = await lastBackupAt(directory)
  if (!at) throw new Error(`there is none in ${resolve(directory)}`)
  const age = systemClock().getTime() - at.getTime()
  if (age > 2 * everySeconds * 1000) throw new Error(`the newest in ${resolve(directory)} is ${hours(age)} old`)
  const todo = isSealed ? undefined : 'set POSTHORN_BACKUP_PASSPHRASE so that backups hold the secret, too'
  return { says: `the newest in ${resolve(directory)} is ${hours(age)} old`, todo }
}

const backupFindings = async ({ backup: { schedule, passphrase } }: Config): Promise<readonly DoctorFinding[]> =>
  schedule
    ? [
        await check(
          'backups',
          () => backupCheck(schedule, passphrase !== undefined),
          'a running worker makes them; its log says why one failed',
        ),
      ]
    : []

const serverFindings = async (config: Config): Promise<readonly DoctorFinding[]> => {
  const marks =
    config.store === 'sqlite' ? await serversUsingDirectory(join(config.dataDir, dataDirectoryEntries.servers)) : []
  if (marks.length === 0) return []
  const says = marks.map((mark) => `${describeServerMark(mark)}: ${mark.roles.join(' and ')}`).join('; ')
  return [
    { what: 'servers', ok: true, says, todo: severalServersHaveAllRoles(marks) ? sharedDirectoryAdvice : undefined },
  ]
}

/** @param opened the store of a running server; otherwise opens it */
export const doctorFindings = async (config: Config, opened?: Store): Promise<readonly DoctorFinding[]> => {
  const { store, roles, dataDir, submission, tls } = config
  const directory = await check(
    'data directory',
    () => directoryCheck(config),
    existsSync(dataDir) ? undefined : 'set POSTHORN_DATA_DIR to a directory that this user can create',
  )
  return [
    {
      what: 'configuration',
      ok: true,
      says: `store ${store}, mailer ${configuredMailerKind(config)}, roles ${[...roles].join(' and ')}`,
    },
    directory,
    ...(directory.ok ? await storeFindings(config, opened) : []),
    ...(await serverFindings(config)),
    ...(await backupFindings(config)),
    await check('mailer', () => mailerCheck(config), mailerTexts[configuredMailerKind(config)].advice),
    ...(await eventsFindings(config)),
    ...(roles.has('api')
      ? [await check('public URL', () => publicUrlCheck(config)), await check('port', () => portCheck(config))]
      : []),
    ...(tls && roles.has('api') ? [await check('HTTPS', () => certificateCheck(tls))] : []),
    ...(submission && roles.has('api') ? [await check('SMTP in', () => submissionCheck(submission))] : []),
  ]
}

/** Creates nothing. */
export const findingsBeforeStart = async (environment: Environment): Promise<readonly DoctorFinding[]> => {
  const config = readFindings(environment)
  return 'store' in config ? doctorFindings(config) : config
}
