import { execFile } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkout, type Environment, startServer, temporaryDirectory } from '../../tests/server-process.js'

const isRoot = process.geteuid?.() === 0

/** By number: the user needs no name here. Without root, everything runs as the current user. */
const asUser = (user: number) =>
  isRoot ? ['/usr/bin/setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs'] : []

/** `NAME=value` by line, as a file of `EnvironmentFile=` has them. */
export const variablesIn = (text: string): Environment =>
  Object.fromEntries(text.split('\n').flatMap((line) => (/^\w+=/.test(line) ? [line.split(/=(.*)/s).slice(0, 2)] : [])))

/** What the unit of systemd says about the process. */
export const readUnit = (text: string) => {
  const values = (name: string) => [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const one = (name: string) => {
    const [value, ...others] = values(name)
    if (value === undefined || others.length > 0) throw new Error(`The unit says not once: ${name}`)
    return value
  }
  return {
    command: one('ExecStart').split(' '),
    directory: one('WorkingDirectory'),
    umask: one('UMask'),
    environment: variablesIn(values('Environment').join(' ').replaceAll(' ', '\n')),
  }
}

type Process = {
  readonly user: number
  readonly environment: Environment
  readonly directory: string
  readonly umask?: string
}

export type Printed = { readonly code: number; readonly stdout: string; readonly stderr: string }

/**
 * A directory that stands for the root of a machine: Node is the only program on its `PATH`, and no variable of this process is in the
 * environment of what runs there.
 */
export const bareMachine = () => {
  const { path: root, remove } = temporaryDirectory()
  chmodSync(root, 0o755)
  const at = (path: string) => join(root, path)
  /** Paths of a machine in a text, here. */
  const here = (text: string) => text.replace(/(?<![\w.-])\/(?:opt|var|etc|usr)\//g, (found) => `${root}${found}`)
  mkdirSync(at('/usr/bin'), { recursive: true })
  symlinkSync(process.execPath, at('/usr/bin/node'))

  const own = (path: string, user: number) => {
    if (isRoot) chownSync(at(path), user, user)
  }
  const commandOf = ({ user, environment, directory, umask = '0022' }: Process, command: readonly string[]) => {
    const pairs = Object.entries({ PATH: at('/usr/bin'), ...environment }).map(([name, value]) => `${name}=${value}`)
    const shell = ['/bin/sh', '-c', 'umask "$1" && cd "$2" && shift 2 && exec "$@"', 'sh', umask, at(directory)]
    return ['/usr/bin/env', '-i', ...pairs, ...asUser(user), ...shell, ...command.map(here)] as const
  }
  return {
    at,
    here,
    remove,
    isRoot,
    /** A new directory of this user, which others cannot read. */
    directoryOf: (user: number, path: string) => {
      mkdirSync(dirname(at(path)), { recursive: true, mode: 0o755 })
      mkdirSync(at(path), { mode: 0o700 })
      own(path, user)
    },
    /** Gives a file to a user. */
    give: own,
    /** What a command printed, and how it ended. */
    run: (as: Process, ...command: readonly string[]): Promise<Printed> => {
      const [program, ...args] = commandOf(as, command)
      return new Promise((done) => {
        execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
          done({ code: error ? Number(error.code) : 0, stdout, stderr }),
        )
      })
    },
    /** A server as the unit of systemd starts it, on the data directory that its environment names. */
    startUnit: (user: number, environment: Environment, dataDirectory = '/var/lib/posthorn') => {
      const unit = readUnit(
        readFileSync(join(checkout, 'deploy/systemd/posthorn.service'), 'utf8').replaceAll(
          '/var/lib/posthorn',
          dataDirectory,
        ),
      )
      const inside = Object.entries(unit.environment).map(([name, value]) => [name, here(value)])
      const all = { ...environment, ...Object.fromEntries(inside) }
      return startServer({}, [
        ...commandOf({ user, environment: all, directory: unit.directory, umask: unit.umask }, unit.command),
      ])
    },
    /** The path here, in directories that all can read. */
    place: (path: string) => {
      mkdirSync(dirname(at(path)), { recursive: true, mode: 0o755 })
      return at(path)
    },
  }
}
