import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Repositories } from '@posthorn/core/ports/storage'
import type { Mailer } from '@posthorn/core/ports/transport'
import { countHeldSends, heldBackText } from './backup/held-sends.js'
import { type Bootstrapped, exampleSenderAddress, type IdsOfOnlyProject } from './bootstrap.js'
import type { Config } from './config.js'
import { onThisMachineAlone } from './operator-access.js'
import { publicUrlOf } from './wiring.js'

const quoted = (text: string) => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Lines to paste into a shell; omits unknown values. */
export const shellExportLines = (variables: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(variables)
    .flatMap(([name, value]) => (value === undefined ? [] : [`export ${name}=${value}`]))
    .join('\n')

const launcher = fileURLToPath(new URL('../bin/posthorn.js', import.meta.url))

/** Works in any directory. */
export const posthornShellCommand = ({ dataDir }: Pick<Config, 'dataDir'>): string =>
  `node ${quoted(launcher)} --data ${quoted(resolve(dataDir))}`

/** Works in the checkout. */
export const serverStartCommandText = ({ dataDir }: Pick<Config, 'dataDir'>): string =>
  `POSTHORN_DATA_DIR=${quoted(resolve(dataDir))} npm start`

const idLines = ({ accountId, projectId, listId }: IdsOfOnlyProject, base: string, key?: string) =>
  shellExportLines({ POSTHORN: base, ACCOUNT: accountId, PROJECT: projectId, LIST: listId, KEY: key })

const mailLine = (config: Config, base: string): string => {
  const { smtp, ses, dataDir, operatorPassword } = config
  if (ses) return `sent by Amazon SES in ${ses.region}`
  if (smtp) return `sent by the relay ${smtp.host}:${smtp.port}`
  if (onThisMachineAlone(config)) return `${base}/outbox`
  if (operatorPassword !== undefined) return `${base}/outbox (asks for POSTHORN_OPERATOR_PASSWORD)`
  return `files in ${join(resolve(dataDir), 'outbox')} (POSTHORN_OPERATOR_PASSWORD opens ${base}/outbox)`
}

const submissionLine = ({ submission, roles }: Config): string => {
  if (!submission || !roles.has('api')) return ''
  const { host, port, certificate } = submission
  return `SMTP in      ${host}:${port}${certificate ? ' (STARTTLS)' : ''}: user is the project's id, password an API key\n`
}

const consoleUrl = (config: Config, base: string) =>
  `${publicUrlOf({ ...config, port: Number(new URL(base).port) || config.port })}/console`

const whereToLook = (config: Config, base: string) => `The console  ${consoleUrl(config, base)}
The API      ${base}/docs
The mail     ${mailLine(config, base)}
${submissionLine(config)}`

const curl = (path: string, body?: string) =>
  `curl -s "$POSTHORN/v1/projectId/$PROJECT/${path}" -H "Authorization: Bearer $KEY"${
    body === undefined ? '' : ` -H 'Content-Type: application/json' -d ${body}`
  }`

/** The shell replaces `$LIST`. */
const withList = (value: unknown) => `"${JSON.stringify(value).replace(/["\\]/g, '\\$&')}"`

const firstCampaign = {
  name: 'First campaign',
  subject: 'Hello {{contact.name}}',
  type: 'html',
  document: "<p>Hello {{contact.name}}, this is Posthorn.</p><p><a href='{{unsubscribeLink}}'>Unsubscribe</a></p>",
  timeZone: 'UTC',
  subscriberListId: '$LIST',
  status: 'scheduled',
  scheduledTo: '2020-01-01T00:00:00Z',
}

/** Only with the outbox. */
const firstSteps = ({ smtp, ses }: Config) =>
  smtp || ses
    ? ''
    : `Add a subscriber, send a campaign to the list, see how it went:

${curl('subscriber-lists/$LIST/subscribers', `'${JSON.stringify({ email: 'ada@example.com', name: 'Ada' })}'`)}

${curl('campaigns', withList(firstCampaign))}

${curl('campaigns?limit=1')}

`

export const firstServerStartText = (made: Bootstrapped, config: Config, base: string): string => {
  const aboutKey =
    made.key === undefined ? 'where\nPOSTHORN_BOOTSTRAP_KEY is set as for this server' : 'the key\nis shown this once'
  return `
This is the first start: an account with 10,000 credits, a project in sandbox (100 mails a day,
one per second), a sender identity and a list were made. Paste this into another terminal; ${aboutKey}:

${idLines(made, base, made.key ?? '"$POSTHORN_BOOTSTRAP_KEY"')}

${firstSteps(config)}${whereToLook(config, base)}`
}

/** Without the key: only its hash is stored. */
export const laterServerStartText = (known: IdsOfOnlyProject | undefined, config: Config, base: string): string => {
  const look = whereToLook(config, base)
  if (!known) return `\n${look}`
  return `
To call it, paste this into another terminal${config.store === 'mongodb' ? ', where MONGODB_URL is set as for this server' : ''}; the last line makes a new key:

${idLines(known, base, `$(${posthornShellCommand(config)} key create)`)}

${look}`
}

const providerText = (config: Config, base: string): string => {
  const { oidc } = config
  if (!oidc) return ''
  const url = consoleUrl(config, base)
  return `
People sign in with ${oidc.name} at ${url}. Register this redirect URI there:

${url}/sign-in/callback
`
}

/** How people enter the console. `link`: while nobody uses it. */
export const consoleEntryText = (config: Config, base: string, link: string | undefined): string =>
  providerText(config, base) + (link === undefined ? '' : setupText(link))

const setupText = (link: string): string => `
Open this within 24 hours to create the owner of the console (the link works once; each start prints a new one until then):

${link}
`

export const heldWarning = async (
  config: Config,
  store: Parameters<typeof countHeldSends>[0],
): Promise<string | undefined> => {
  const held = heldBackText(await countHeldSends(store))
  if (held === undefined) return undefined
  return `${held} since a restore. Compare with the log of the relay, then continue all, or each campaign by itself:
  ${posthornShellCommand(config)} restore --release`
}

type SenderRepositories = Pick<Repositories, 'senderIdentities'>

const hasExampleSender = async ({ senderIdentities }: SenderRepositories): Promise<boolean> => {
  for await (const { projectId, position } of senderIdentities.each({ email: exampleSenderAddress })) {
    const inOrder = { sort: { by: 'position', order: 'asc' }, skip: 0, limit: 1 } as const
    const [first] = (await senderIdentities.list({ where: { projectId }, ...inOrder })).items
    if (first?.position === position) return true
  }
  return false
}

const reasonOf = (check: Promise<void>): Promise<string | undefined> =>
  check.then(
    () => undefined,
    (error: unknown) => `${error instanceof Error ? error.message : String(error)}`.replace(/\.?$/, '.'),
  )

/** An unreachable relay, and the example sender. None with the outbox. */
export const mailSetupWarnings = async function* (
  config: Config,
  { mailer, repositories }: { readonly mailer: Pick<Mailer, 'check'>; readonly repositories: SenderRepositories },
): AsyncGenerator<string> {
  if (!config.smtp && !config.ses) return
  if (await hasExampleSender(repositories))
    yield `A project sends from ${exampleSenderAddress} by default, which no relay accepts. Add a sender of your own and make it the default:
  ${posthornShellCommand(config)} sender create you@your-domain.example
  ${posthornShellCommand(config)} sender default <id>`
  const unreachable = config.roles.has('worker') && (await reasonOf(mailer.check()))
  if (unreachable)
    yield `Mails wait until they can be sent: ${unreachable} Check ${config.smtp ? 'SMTP_URL' : 'the AWS credentials and POSTHORN_SES_REGION'}; ${posthornShellCommand(config)} doctor tries again.`
}
