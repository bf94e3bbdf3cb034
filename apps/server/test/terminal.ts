import { runCommandLine } from '../src/cli/run.js'

/** What a command came to. */
export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs commands of the command line in this process, at a terminal that keeps what they say. */
export const commandsIn =
  (dataDir: string, environment: Readonly<Record<string, string>> = {}, ask?: (question: string) => Promise<string>) =>
  async (...args: readonly string[]): Promise<Ended> => {
    let [stdout, stderr] = ['', '']
    const code = await runCommandLine(args, {
      stdout: {
        write: (text) => {
          stdout += text
        },
      },
      stderr: {
        write: (text) => {
          stderr += text
        },
      },
      environment: { POSTHORN_DATA_DIR: dataDir, ...environment },
      ask,
    })
    return { code, stdout, stderr }
  }

/** What `run` answers as JSON. @throws Error with what it said where it failed */
export const inJson =
  (run: ReturnType<typeof commandsIn>) =>
  async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json')
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
    return JSON.parse(stdout)
  }
