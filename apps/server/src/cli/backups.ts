import { join, resolve } from 'node:path'
import { systemClock } from '@posthorn/adapters-node'
import type { HeldSendCounts } from '@posthorn/core'
import type { Command } from 'commander'
import { pinoLog } from '../adapters/pino-log.js'
import { backUp } from '../backup/backup.js'
import { heldBackText, heldText } from '../backup/held-sends.js'
import { checkRecords, type RecordsCheck } from '../backup/records-check.js'
import { restoreBackup } from '../backup/restore.js'
import { checkStoreIntegrity, verifyBackup } from '../backup/verification.js'
import { readConfig } from '../config.js'
import { dataDirectoryEntries, hasStore, openDataDirectory } from '../data-directory.js'
import { describeServerMark, serversUsingDirectory } from '../running-servers.js'
import { withCommandContext } from './open-command-context.js'
import { CommandEnd, CommandFailure, commandOutput, textTable } from './output.js'
import { commandEnvironment, type Terminal } from './terminal.js'

type Environment = Terminal['environment']

const configOf = (environment: Environment) => {
  const config = readConfig({ ...environment, POSTHORN_LOG_LEVEL: environment.POSTHORN_LOG_LEVEL || 'error' })
  if (config.store === 'mongodb')
    throw new CommandFailure('The store is MongoDB, which has tools of its own for backups: see docs/backup.md.')
  if (config.store === 'memory') throw new CommandFailure('The store is memory: nothing of it can be kept.')
  return config
}

const assertStore = (dataDir: string): void => {
  if (!hasStore(dataDir))
    throw new CommandFailure(
      `There is no store in ${resolve(dataDir)}. Where it is elsewhere, say so with --data <directory> or POSTHORN_DATA_DIR.`,
    )
}

const withoutSecret =
  'The backup holds no secret, since POSTHORN_BACKUP_PASSPHRASE is not set. Keep the secret elsewhere: without it, no link in a sent mail works after a restore.'

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

export const runBackupCommand = async (target: string, command: Command): Promise<void> => {
  const environment = commandEnvironment(command)
  const config = configOf(environment)
  assertStore(config.dataDir)
  const data = openDataDirectory(config.dataDir, pinoLog('error'))
  const secrets = config.secrets ?? data.secrets()
  const made = await backUp({ data, secrets, passphrase: config.backup.passphrase, target, clock: systemClock })
  const output = commandOutput(command)
  output.result(
    made,
    `${made.target}: database and ${made.files} files, ${megabytes(made.bytes)}, as of ${made.createdAt}`,
  )
  if (!made.holdsSecret) output.note(withoutSecret)
}

export const runVerifyCommand = async (backup: string, command: Command): Promise<void> => {
  const environment = commandEnvironment(command)
  const { secrets, backup: settings } = configOf(environment)
  const verified = await verifyBackup({ backup, secrets, passphrase: settings.passphrase })
  const { problems, createdAt, files, secret } = verified
  const lines = [
    ...problems.map((problem) => `✗ ${problem}`),
    problems.length === 0
      ? `✓ ${backup}: database and ${files} files as of ${createdAt} can be restored`
      : `${backup} can be restored, but the store has these problems`,
    ...(secret === 'unchecked' ? ['! the secret was not opened: POSTHORN_BACKUP_PASSPHRASE is not set'] : []),
    ...(secret === 'absent' ? ['! the backup holds no secret: keep it elsewhere'] : []),
  ]
  commandOutput(command).result(verified, lines.join('\n'))
  if (problems.length > 0) throw new CommandEnd(1)
}

export type RestoreAsked = { readonly asOf?: string; readonly hold?: true; readonly release?: true }

const howToContinue = 'posthorn restore --release continues all, or continue each campaign by itself'

const instantIn = (text: string | undefined): Date => {
  if (text === undefined) return systemClock()
  const instant = new Date(text)
  if (!/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/.test(text) || Number.isNaN(instant.getTime()))
    throw new CommandFailure('--as-of: expected a time with its offset, such as 2026-05-01T12:00:00Z', 2)
  return instant
}

const iso = () => systemClock().toISOString()

/** Holds back mails under way, or due until then. No server may use the store. */
const holdSends = (environment: Environment, until: Date): Promise<HeldSendCounts> =>
  withCommandContext(environment, async ({ core, heldMails }) => {
    const mails = await heldMails.hold(until.toISOString(), iso())
    const { campaigns, sends } = await core.restoredSends.hold(until.toISOString())
    return { campaigns, sends: sends + mails }
  })

/** Releases the held mails. A server may be running. */
const releaseHeldSends = (environment: Environment) =>
  withCommandContext(environment, async ({ core, heldMails }) => {
    const released = await core.restoredSends.release()
    return { ...released, sends: released.sends + (await heldMails.release(iso())) }
  })

/** @throws CommandFailure while a server uses the file; on MongoDB, nobody knows */
const runHold = async (asOf: string | undefined, command: Command): Promise<void> => {
  const until = instantIn(asOf)
  const environment = commandEnvironment(command)
  const { store, dataDir } = readConfig(environment)
  const [server] = store === 'sqlite' ? await serversUsingDirectory(join(dataDir, dataDirectoryEntries.servers)) : []
  if (server)
    throw new CommandFailure(
      `A server uses ${resolve(dataDir)}: ${describeServerMark(server)}. Stop it first: it sends.`,
    )
  const held = await holdSends(environment, until)
  const text = heldBackText(held)
  commandOutput(command).result({ held }, text ? `${text}: ${howToContinue}` : 'Nothing has to be held back')
}

const runRelease = async (command: Command): Promise<void> => {
  const environment = commandEnvironment(command)
  const { campaigns, sends, refused } = await releaseHeldSends(environment)
  const text = heldText({ campaigns, sends })
  const lines = [
    text ? `${text} ${campaigns + sends === 1 ? 'continues' : 'continue'}` : 'Nothing was held back that can continue',
    ...refused.map(({ campaignId, reason }) => `✗ ${campaignId}: ${reason}`),
  ]
  commandOutput(command).result({ campaigns, sends, refused }, lines.join('\n'))
  if (refused.length > 0) throw new CommandEnd(1)
}

export const runRestoreCommand = async (
  backup: string | undefined,
  { asOf, hold, release }: RestoreAsked,
  command: Command,
): Promise<void> => {
  if (hold && (backup !== undefined || release))
    throw new CommandFailure(
      '--hold: it takes no backup and no --release; it is for a store that other tools restored',
      2,
    )
  if (hold) return runHold(asOf, command)
  if (release) {
    if (backup !== undefined || asOf !== undefined)
      throw new CommandFailure('--release: it takes no backup and no --as-of; it is for a store that was restored', 2)
    return runRelease(command)
  }
  if (backup === undefined) throw new CommandFailure('Which backup? restore <backup> --data <directory>', 2)
  const environment = commandEnvironment(command)
  const config = configOf(environment)
  const until = instantIn(asOf)
  let held = { campaigns: 0, sends: 0 }
  const { directory, manifest, hasSecret } = await restoreBackup({
    backup,
    directory: config.dataDir,
    secrets: config.secrets,
    passphrase: config.backup.passphrase,
    prepare: async (place, { createdAt }) => {
      // What a server may have sent since the backup. The file decides, not the configuration.
      const inFile = { ...environment, POSTHORN_DATA_DIR: place, POSTHORN_STORE: 'sqlite', MONGODB_URL: undefined }
      if (until.getTime() > Date.parse(createdAt)) held = await holdSends(inFile, until)
    },
  })
  const output = commandOutput(command)
  const text = heldBackText(held)
  output.result(
    { directory, createdAt: manifest.createdAt, held, hasSecret },
    [
      `${directory} is as the server was at ${manifest.createdAt}`,
      ...(text ? [`${text}, as that may have been sent after this: ${howToContinue}`] : []),
    ].join('\n'),
  )
  if (!hasSecret) output.note('The server needs POSTHORN_SECRET, too: the restored directory has no secret.')
}

/** Through the ports, which do not reach the database's own structure. */
const checkDatabase = (environment: Environment): Promise<RecordsCheck> =>
  withCommandContext(environment, ({ repositories }) => checkRecords(repositories))

const consistent = {
  sqlite: '✓ the store is consistent',
  mongodb: '✓ the records are consistent; deliveries, files and the structure of the database were not checked',
} as const

export const runStoreCheckCommand = async (command: Command): Promise<void> => {
  const { store, dataDir } = readConfig(commandEnvironment(command))
  if (store === 'memory') throw new CommandFailure('The store is memory: nothing of it can be checked.')
  if (store === 'sqlite' && !hasStore(dataDir)) throw new CommandFailure(`There is no store in ${resolve(dataDir)}.`)
  const { problems, counts } =
    store === 'mongodb' ? await checkDatabase(commandEnvironment(command)) : checkStoreIntegrity(dataDir)
  const rows = Object.entries(counts).filter(([, n]) => n > 0)
  const lines = problems.length === 0 ? [consistent[store]] : problems.map((problem) => `✗ ${problem}`)
  const listed = rows.length > 0 ? [textTable(rows.map(([kind, n]) => [kind, String(n)]))] : []
  commandOutput(command).result({ ok: problems.length === 0, problems, counts }, [...lines, ...listed].join('\n'))
  if (problems.length > 0) throw new CommandEnd(1)
}
