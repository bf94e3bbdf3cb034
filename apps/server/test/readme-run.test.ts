import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countMails, freePort, readMails, temporaryDirectory, until } from '../../../tests/server-process.js'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const guides = ['README.md', 'docs/cli.md', 'docs/bulk.md', 'docs/deploy.md', 'docs/project-export.md']
  .map((name) => readFileSync(join(checkout, name), 'utf8'))
  .join('\n')

/** The shell commands of the guides, in order; the README's program is compiled and run by `scripts/packages.test.ts`. */
const commands = [...guides.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, text = '']) =>
  text.trim().split(/(?<!\\)\n/),
)

/** A copy of the checkout by links, with data of its own. */
const directory = temporaryDirectory()
const place = directory.path

/** This process's environment without what npm and a configured server have put into it. */
const environment = (more: Readonly<Record<string, string>>) => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(POSTHORN|npm_|INIT_CWD$|PORT$|HOST$|SMTP_URL$|MONGODB_URL$|KEY$)/.test(name),
    ),
  ),
  ...more,
})

/** A shell that runs one command after the other and keeps their variables. */
const openShell = (env: NodeJS.ProcessEnv) => {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd: place, env, stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  let heard = () => {}
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
      heard()
    })
  const run = (command: string): Promise<{ code: number; output: string }> => {
    said = ''
    return new Promise((resolve) => {
      heard = () => {
        const [end, output = '', code] = /^([\s\S]*)\nended with (\d+)\n$/.exec(said) ?? []
        if (end) resolve({ code: Number(code), output })
      }
      child.stdin.write(`${command}\nprintf '\\nended with %d\\n' $?\n`)
    })
  }
  return { run, end: () => child.stdin.end() }
}

type Background = { readonly child: ChildProcess; readonly printed: () => string; readonly ended: Promise<unknown> }

/** Starts a command that runs for ever, in a process group, and waits until it prints the text. */
const inBackground = async (command: string, env: NodeJS.ProcessEnv, until_: RegExp): Promise<Background> => {
  const child = spawn('bash', ['-c', command], { cwd: place, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk
    })
  let isOver = false
  const ended = new Promise((resolve) => child.once('close', resolve)).then(() => {
    isOver = true
  })
  await until(() => isOver || until_.test(text))
  if (isOver) throw new Error(`${command} ended: ${text}`)
  return { child, printed: () => text, ended }
}

const end = async ({ child, ended }: Background) => {
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  await ended
}

const pasted = (printed: string) => printed.split('\n').filter((line) => /^(?:export|curl) /.test(line))

let shell: ReturnType<typeof openShell>
let env: NodeJS.ProcessEnv = {}
let server: Background | undefined

beforeAll(async () => {
  for (const name of ['apps', 'packages', 'node_modules', 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.base.json'])
    symlinkSync(join(checkout, name), join(place, name))
  cpSync(join(checkout, 'package.json'), join(place, 'package.json'))
  env = environment({ PORT: String(await freePort()) })
  shell = openShell(env)
})
afterAll(async () => {
  shell.end()
  if (server) await end(server)
  directory.remove()
})

const startsServer = async (command: string) => {
  server = await inBackground(command, env, /Posthorn listens on/)
  for (const line of pasted(server.printed()).filter((one) => one.startsWith('export ')))
    expect(await shell.run(line)).toMatchObject({ code: 0 })
}

/** Its variables go into a separate shell: the README continues with those of the first server. */
const showsDemo = async (command: string) => {
  const demo = await inBackground(command, env, /npm start\n/)
  const { stdout } = await promisify(execFile)('bash', ['-c', pasted(demo.printed()).join('\n')], { env })
  expect(JSON.parse(stdout)).toMatchObject({ status: 200, result: { sent: 1000 } })
  await end(demo)
}

const succeeds = async (command: string) => {
  const { code, output } = await shell.run(command)
  expect({ code, output }).toMatchObject({ code: 0 })
  if (command.startsWith('curl') && !command.includes(' -o ')) expect(JSON.parse(output).status).toBeLessThan(300)
  const [, name] = /^export (\w+)=/.exec(command) ?? []
  if (name) expect((await shell.run(`echo "$${name}"`)).output.trim()).toMatch(/^(?!undefined$)\S+$/)
}

const does = async (command: string) => {
  if (command.startsWith('npm ci')) expect(existsSync(join(place, 'node_modules'))).toBe(true)
  else if (command === 'npm start') await startsServer(command)
  else if (command === 'npm run demo') await showsDemo(command)
  else if (command.includes('store copy')) {
    if (server) await end(server)
    server = undefined
    await succeeds(command)
  } else await succeeds(command)
}

describe('the README and the guides with commands', () => {
  it.each(commands.map((command) => [command.split('\n')[0], command] as const))(
    'contain the working command %s',
    async (_, command) => {
      expect(await does(command)).toBe(undefined)
    },
  )

  it('send the mails that they describe', async () => {
    const data = join(place, 'data')
    expect(countMails(data)).toBeGreaterThanOrEqual(2)
    const subjects = (await readMails(data)).map(({ subject }) => subject)
    expect(subjects).toEqual(expect.arrayContaining(['Receipt 7', 'Spring, Grace']))
    expect(readFileSync(join(place, 'everybody.csv'), 'utf8')).toContain('\nada@example.com,Ada,,pro,active\n')
    expect(readFileSync(join(place, 'vip.ndjson'), 'utf8')).toMatch(/^\{.*"email":"alan@example.com".*\}\n$/)
    expect(existsSync(join(place, 'moved/posthorn.db'))).toBe(true)
  })
})
