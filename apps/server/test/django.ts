import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const guide = new URL('../../../docs/smtp.md', import.meta.url)

/** A Python environment with Django, below the cache; made once. */
const environment = async (): Promise<string> => {
  const version = '5.2.8'
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'posthorn')
  const home = join(cache, `django-${version}`)
  const complete = join(home, 'complete')
  if (!existsSync(complete)) {
    mkdirSync(cache, { recursive: true })
    await run('python3', ['-m', 'venv', '--clear', home])
    await run(join(home, 'bin/pip'), ['install', '--quiet', `django==${version}`])
    writeFileSync(complete, '')
  }
  return join(home, 'bin/python')
}

/**
 * Runs a script with the settings of the documentation, but without TLS and with this port, user and sender.
 * @throws Error if the documentation has no settings, or with the output of a script that fails
 */
export const runDjango = async (
  { port, user, password, from }: Readonly<Record<'user' | 'password' | 'from', string>> & { readonly port: number },
  script: string,
): Promise<void> => {
  const [, documented = ''] = /^```python\n([\s\S]*?)^```/m.exec(readFileSync(guide, 'utf8')) ?? []
  if (!documented.includes('EMAIL_USE_TLS = True')) throw new Error('docs/smtp.md has no settings of Django')
  const settings = `
import os
from django.conf import settings
documented = {}
exec('''${documented}''', documented)
documented.update(EMAIL_HOST='localhost', EMAIL_PORT=${port}, EMAIL_USE_TLS=False, DEFAULT_FROM_EMAIL='${from}')
documented.update(EMAIL_HOST_USER='${user}', EMAIL_HOST_PASSWORD=os.environ['SMTP_PASSWORD'])
settings.configure(**{name: value for name, value in documented.items() if name.isupper()})
`
  await run(await environment(), ['-c', settings + script], { env: { ...process.env, SMTP_PASSWORD: password } })
}
