import { type Config, readConfig } from '../config.js'
import { serverContainer } from '../container.js'
import { assertPortIsFree, baseOf } from '../server.js'
import { tokens } from '../tokens.js'

type Finding = { readonly what: string; readonly ok: boolean; readonly says: string }

/** How mails leave: by the mailer's name, what its check says, and what to look at where it fails. */
const waysOut = {
  smtp: { answers: 'the relay answers', advice: '; is SMTP_URL right, and may this machine reach it?' },
  ses: { answers: 'Amazon SES answers, and sends', advice: '' },
  outbox: { answers: 'mails are kept in the outbox; none leaves this machine', advice: '' },
} as const

const wayOutOf = ({ smtp, ses }: Config): keyof typeof waysOut => (ses ? 'ses' : smtp ? 'smtp' : 'outbox')

const check = async (what: string, run: () => Promise<string> | string): Promise<Finding> => {
  try {
    return { what, ok: true, says: await run() }
  } catch (error) {
    return { what, ok: false, says: error instanceof Error ? error.message : String(error) }
  }
}

/** A port that is taken by this server, running, is as good as a free one. */
const portCheck = async (config: Config): Promise<string> => {
  try {
    await assertPortIsFree(config)
    return `${config.port} of ${config.host} is free`
  } catch (error) {
    const { ok } = await fetch(`${baseOf(config, config)}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => ({ ok: false }),
    )
    if (!ok) throw error
    return `${config.port} of ${config.host} is served already, and ready`
  }
}

/** Looks at everything that a start needs, and changes nothing that is not needed for looking. */
export const findings = async (): Promise<readonly Finding[]> => {
  let config: Config | undefined
  const configuration = await check('configuration', () => {
    config = readConfig(process.env)
    return `store ${config.store}, mailer ${wayOutOf(config)}, roles ${[...config.roles].join(' and ')}`
  })
  if (!config) return [configuration]
  const known = config
  const container = serverContainer({ ...known, logLevel: 'silent' })
  const directory = await check('data directory', () => {
    container.get(tokens.dataDirectory)
    return `${known.dataDir} can be read and written`
  })
  const store = await check('store', async () => {
    const opened = await container.getAsync(tokens.store)
    await opened.counters.give({ key: 'doctor', n: 1 })
    return `${known.store} can be opened and written`
  })
  const mailer = await check('mailer', async () => {
    await container.get(tokens.mailer).check()
    return waysOut[wayOutOf(known)].answers
  }).then((found) => (found.ok ? found : { ...found, says: `${found.says}${waysOut[wayOutOf(known)].advice}` }))
  const port = known.roles.has('api') ? [await check('port', () => portCheck(known))] : []
  if (mailer.ok) await container.get(tokens.mailer).close()
  if (store.ok) await container.get(tokens.store).close()
  return [configuration, directory, store, mailer, ...port]
}
