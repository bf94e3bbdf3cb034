import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { signingCertificate } from '@posthorn/local-aws'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  freePort,
  type RunningServer,
  readMails,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { runDjango } from './django.js'

const run = promisify(execFile)
const from = 'hello@example.com'
const guide = readFileSync(new URL('../../../docs/smtp.md', import.meta.url), 'utf8')

describe('programs that send through the built server', () => {
  const data = temporaryDirectory()
  let server: RunningServer
  let port = 0
  let user = ''
  const certificate = { cert: join(data.path, 'cert.pem'), key: join(data.path, 'key.pem') }

  beforeAll(async () => {
    const { privateKey, pem } = signingCertificate({ commonName: 'localhost' })
    mkdirSync(data.path, { recursive: true })
    writeFileSync(certificate.key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(certificate.cert, pem)
    port = await freePort()
    server = await startBuiltServer(data.path, {
      POSTHORN_SUBMISSION_PORT: String(port),
      POSTHORN_SUBMISSION_TLS_CERT: certificate.cert,
      POSTHORN_SUBMISSION_TLS_KEY: certificate.key,
    })
    user = /export PROJECT=(\w+)/.exec(server.printed())?.[1] ?? ''
  })
  afterAll(async () => {
    await stopServer(server)
    data.remove()
  })

  const mailTo = async (address: string) => {
    const find = async () => (await readMails(data.path)).find(({ to }) => to?.some((one) => one.address === address))
    await until(async () => (await find()) !== undefined)
    return find()
  }

  const python = (script: string) =>
    run('python3', ['-c', script], {
      env: { ...process.env, SMTP_PORT: String(port), SMTP_USER: user, SMTP_PASSWORD: bootstrapKey },
    })

  it('prints where to send', () => {
    expect(server.printed()).toContain(
      `SMTP in      127.0.0.1:${port} (STARTTLS): user is the project's id, password an API key`,
    )
  })

  it('takes a mail of swaks by STARTTLS, and puts it in the ledger', async () => {
    const { stdout } = await run('swaks', [
      ...[
        '--server',
        `127.0.0.1:${port}`,
        '--tls',
        '--auth',
        'PLAIN',
        '--auth-user',
        user,
        '--auth-password',
        bootstrapKey,
      ],
      ...[
        '--from',
        from,
        '--to',
        'swaks@example.org,second@example.org',
        '--header',
        'Subject: {{literal}}',
        '--body',
        'From swaks {{name}}',
      ],
      ...['--attach', '@/etc/hostname'],
    ])
    const [, dispatchId] = /250 2\.0\.0 Queued as (\w+)/.exec(stdout) ?? []
    expect(await mailTo('swaks@example.org')).toMatchObject({
      subject: '{{literal}}',
      text: expect.stringContaining('From swaks {{name}}'),
      from: { address: from },
      attachments: [{ filename: 'hostname' }],
    })
    expect(await mailTo('second@example.org')).toBeDefined()
    expect(dispatchId).toBeDefined()
  })

  it('takes the mail of the documentation', async () => {
    const [, command = ''] = /^```sh\n([\s\S]*?)^```/m.exec(guide) ?? []
    expect(command).toContain('swaks --server localhost:587')
    await run('bash', ['-c', command.replace('localhost:587', `127.0.0.1:${port}`)], {
      env: { ...process.env, PROJECT: user, KEY: bootstrapKey },
    })
    expect(await mailTo('ada@example.org')).toMatchObject({ text: expect.stringContaining('Sent by SMTP') })
  })

  it('takes a mail of smtplib, by LOGIN and without TLS on this machine', async () => {
    await python(
      `
import os, smtplib
from email.message import EmailMessage
mail = EmailMessage()
mail['From'], mail['To'], mail['Subject'] = 'Shop <${from}>', 'smtplib@example.org', 'Grüße 語'
mail.set_content('Grüße aus Python')
mail.add_alternative('<p>Grüße <img src="cid:logo"></p>', subtype='html')
mail.get_payload()[1].add_related(b'PNG', 'image', 'png', cid='<logo>', filename='logo.png')
mail.add_attachment(b'a;b', maintype='text', subtype='csv', filename='Übersicht.csv')
with smtplib.SMTP('127.0.0.1', int(os.environ['SMTP_PORT'])) as client:
    client.login(os.environ['SMTP_USER'], os.environ['SMTP_PASSWORD'])
    client.send_message(mail)
`,
    )
    const mail = await mailTo('smtplib@example.org')
    expect(mail).toMatchObject({ subject: 'Grüße 語', text: expect.stringContaining('Grüße aus Python') })
    expect(mail?.html).toContain('<p>Grüße <img src="cid:logo"></p>')
    expect(mail?.attachments.map(({ filename, contentId }) => [filename, contentId])).toEqual([
      ['logo.png', '<logo>'],
      ['Übersicht.csv', undefined],
    ])
  })

  it('takes a mail of Nodemailer over a pool', async () => {
    const transport = createTransport({
      ...{ host: '127.0.0.1', port, pool: true, requireTLS: true, tls: { rejectUnauthorized: false } },
      auth: { user, pass: bootstrapKey },
    })
    for (let n = 0; n < 10; n += 1)
      await transport.sendMail({ from, to: `nodemailer${n}@example.org`, subject: 'Pool', text: `Mail ${n}` })
    transport.close()
    expect(await mailTo('nodemailer9@example.org')).toMatchObject({ text: expect.stringContaining('Mail 9') })
  })

  it('takes a mail of Django, with the settings of the documentation', async () => {
    // The first time, it is installed.
    await runDjango(
      { port, user, password: bootstrapKey, from },
      `
from django.core.mail import EmailMultiAlternatives
mail = EmailMultiAlternatives('Reset your password', 'Follow {{ link }}', None, ['django@example.org'], reply_to=['help@example.net'], headers={'X-Posthorn-Tag': 'reset'})
mail.attach_alternative('<p>Follow {{ link }}</p>', 'text/html')
mail.attach('terms.txt', 'Terms', 'text/plain')
assert mail.send() == 1
`,
    )
    const mail = await mailTo('django@example.org')
    expect(mail).toMatchObject({
      subject: 'Reset your password',
      text: expect.stringContaining('Follow {{ link }}'),
      html: expect.stringContaining('<p>Follow {{ link }}</p>'),
      replyTo: [{ address: 'help@example.net' }],
      attachments: [{ filename: 'terms.txt' }],
    })
    expect(mail?.headers.some(({ key }) => key === 'x-posthorn-tag')).toBe(false)
  }, 300_000)

  it('has counted them, and has their deliveries in the ledger', async () => {
    const metrics = await (await fetch(`${server.base}/metrics`)).text()
    const [, accepted] = /submission_messages_total\{outcome="accepted"\} (\d+)/.exec(metrics) ?? []
    expect(accepted).toBe('14')
    const { stdout } = await runCommand(['account', 'list', '--json'], { POSTHORN_DATA_DIR: data.path })
    expect(stdout).toContain('9985')
  })

  it('is found by posthorn doctor', async () => {
    const { stdout } = await runCommand(['doctor'], {
      POSTHORN_DATA_DIR: data.path,
      POSTHORN_SUBMISSION_PORT: String(port),
      POSTHORN_SUBMISSION_TLS_CERT: certificate.cert,
      POSTHORN_SUBMISSION_TLS_KEY: certificate.key,
    })
    expect(stdout).toMatch(new RegExp(`SMTP in.*${port} of 127.0.0.1 is in use by this server, which takes mails`))
  })
})
