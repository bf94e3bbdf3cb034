import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** What a process of the bench can be asked by the one that started it. Arguments and answers have to be JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments are each call's own
export type Calls = Readonly<Record<string, (...args: any[]) => unknown>>

type Asked = { readonly id: number; readonly name: string; readonly args: readonly unknown[] }
type Answered = { readonly id: number; readonly value?: unknown; readonly error?: string }

/** A process of its own that a file was started in. It ends with the one that started it. */
export type Started<C extends Calls> = {
  readonly pid: number
  readonly call: <K extends keyof C & string>(name: K, ...args: Parameters<C[K]>) => Promise<Awaited<ReturnType<C[K]>>>
  readonly stop: () => Promise<void>
}

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** Starts a TypeScript file that answers calls, in a process of its own. */
export const startProcess = <C extends Calls>(file: URL): Started<C> => {
  const child: ChildProcess = fork(fileURLToPath(file), { execArgv: ['--import', loader] })
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (reason: Error) => void }>()
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  let asked = 0
  child.on('message', ({ id, value, error }: Answered) => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) one?.resolve(value as never)
    else one?.reject(new Error(error))
  })
  void ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error(`${file.pathname} has ended`))
  })
  return {
    pid: child.pid ?? 0,
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        asked += 1
        waiting.set(asked, { resolve, reject })
        child.send({ id: asked, name, args } satisfies Asked)
      }),
    stop: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** Answers the calls of the process that started this one, and ends with it. */
export const answerCalls = (calls: Calls): void => {
  process.on('message', ({ id, name, args }: Asked) => {
    const answer = (answered: Omit<Answered, 'id'>) => process.send?.({ id, ...answered })
    Promise.resolve()
      .then(() => calls[name]?.(...args))
      .then(
        (value) => answer({ value }),
        (error: unknown) => answer({ error: String(error) }),
      )
  })
  process.on('disconnect', () => process.exit(0))
}
