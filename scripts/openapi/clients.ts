import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  bootstrapKey,
  countMails,
  idsIn,
  readMails,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../tests/server-process.js'
import type { PythonTools } from './python-tools.js'
import { run } from './run.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const document = join(root, 'docs/openapi.json')

/** What whoever has the types writes: no field that has a default, a filter by name, an event told apart by its type. */
const program = `import type { components, operations } from './schema.js'

type Body<I extends keyof operations> = operations[I] extends { requestBody: { content: { 'application/json': infer B } } } ? B : never

export const campaign: Body<'createCampaign'> = {
  name: 'News', subject: 'News', timeZone: 'UTC', subscriberListId: 'x',
}
export const list: Body<'createSubscriberList'> = { name: 'Readers' }
export const send: Body<'sendTransactional'> = { email: 'ada@example.com', transactionalId: 'x' }
export const query: operations['listCampaigns']['parameters']['query'] = { limit: 5, 'filter[status]': 'sent' }
export const nameOf = (event: components['schemas']['WebhookEvent']): string =>
  event.type === 'subscribe' ? event.subscription.email : 'emailData' in event ? event.emailData.to : ''
export const always = (given: components['schemas']['Campaign']): string => given.status
`

/** Types by openapi-typescript, and a program that is written with them. @throws Error where they do not compile */
export const tryTypeScript = async (cache: string): Promise<void> => {
  const directory = join(cache, 'openapi-typescript')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const generator = join(root, 'scripts/openapi/node_modules/openapi-typescript/bin/cli.js')
  await run(process.execPath, [generator, document, '--output', join(directory, 'schema.d.ts')])
  writeFileSync(join(directory, 'program.ts'), program)
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--ignoreConfig']
  const modules = ['--module', 'nodenext', '--target', 'es2022', '--types', '']
  await run('npx', ['tsc', ...strict, ...modules, join(directory, 'schema.d.ts'), join(directory, 'program.ts')], {
    cwd: root,
  })
}

const imports = `import importlib, pkgutil, posthorn_client, sys
names = [module.name for module in pkgutil.walk_packages(posthorn_client.__path__, 'posthorn_client.')]
for name in names:
    importlib.import_module(name)
from posthorn_client.models import CampaignFields, WebhookClickEvent, WebhookFailedEvent, WebhookSubscriptionEvent
CampaignFields(name='News', subject='News', time_zone='UTC', subscriber_list_id='x').to_dict()
print(f'{len(names)} modules of the Python client are imported')
`

/** Stores an email and sends it. */
const sending = `import os
from posthorn_client import AuthenticatedClient
from posthorn_client.api.sending import send_transactional
from posthorn_client.api.transactional_emails import create_transactional_email
from posthorn_client.models import SendTransactional, TransactionalEmailFields
project = os.environ['PROJECT']
client = AuthenticatedClient(base_url=os.environ['BASE'], token=os.environ['KEY'], raise_on_unexpected_status=True)
fields = TransactionalEmailFields.from_dict({'name': 'Receipt', 'subject': 'Order {{number}}', 'type': 'html', 'document': '<p>Thanks</p>'})
email = create_transactional_email.sync(project, client=client, body=fields).result
send = SendTransactional.from_dict({'email': 'ada@example.com', 'transactionalId': email.field_id, 'data': {'number': 7}})
answer = send_transactional.sync(project, client=client, body=send, idempotency_key='order-7').result
assert answer.success, answer
print('The Python client has sent', answer.dispatch_id)
`

/** @throws Error unless the mail that the Python client sends arrives in the outbox of a built server */
const trySending = async (directory: string, { program, env }: PythonTools): Promise<void> => {
  const data = temporaryDirectory()
  const server = await startBuiltServer(data.path, { POSTHORN_LOG_LEVEL: 'silent' })
  try {
    const named = { BASE: server.base, PROJECT: idsIn(server.printed()).project, KEY: bootstrapKey }
    await run(program('python'), ['-c', sending], { cwd: directory, env: { ...env, ...named } })
    await until(() => countMails(data.path) > 0)
    const mails = (await readMails(data.path)).map(({ subject, to }) => `${to?.[0]?.address}: ${subject}`)
    if (mails.join() !== 'ada@example.com: Order 7') throw new Error(`The outbox has ${mails.join()}`)
  } finally {
    await stopServer(server)
    data.remove()
  }
}

/** A client by openapi-python-client, all of which is imported, and which sends a mail. @throws Error where it warns or fails */
export const tryPython = async (cache: string, tools: PythonTools): Promise<void> => {
  const { program, env } = tools
  const directory = join(cache, 'openapi-python-client')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const output = join(directory, 'posthorn_client')
  // Rows as NDJSON are bytes for it: it knows no such type.
  const config = join(directory, 'config.json')
  writeFileSync(
    config,
    JSON.stringify({ content_type_overrides: { 'application/x-ndjson': 'application/octet-stream' } }),
  )
  const generate = ['generate', '--config', config, '--path', document, '--meta', 'none']
  generate.push('--output-path', output, '--fail-on-warning')
  await run(program('openapi-python-client'), generate, { env })
  await run(program('python'), ['-c', imports], { cwd: directory, env })
  await trySending(directory, tools)
}
