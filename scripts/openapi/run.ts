import { spawn } from 'node:child_process'

type How = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> }

/** What takes longer has got stuck, in milliseconds: all of it together takes two minutes. */
const timeout = 300_000

/**
 * Runs a program to its end; what it prints is shown then, in one piece.
 * @throws Error where it cannot be run, or ends with other than 0
 */
export const run = (command: string, args: readonly string[], { cwd, env = {} }: How = {}): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
    })
    const printed: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => printed.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => printed.push(chunk))
    child.once('error', (error) => reject(new Error(`${command} could not be run: ${error.message}`)))
    child.once('close', (code, signal) => {
      process.stdout.write(Buffer.concat(printed))
      if (code === 0) resolve()
      else reject(new Error(`${[command, ...args].join(' ')} ended with ${code ?? signal}`))
    })
  })
