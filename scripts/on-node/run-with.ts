import { spawn } from 'node:child_process'
import { delimiter } from 'node:path'

/** Runs the command with the `node` of that directory first on the PATH; answers its exit code. */
export const runWith = (bin: string, [command = '', ...args]: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` }
    const child = spawn(command, args, { env, stdio: 'inherit' })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
    child.once('error', (error) => reject(new Error(`${command} could not be run: ${error.message}`)))
    child.once('exit', (code) => resolve(code ?? 1))
  })
