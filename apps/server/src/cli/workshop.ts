import type { Core, Repositories, Scope } from '@posthorn/core'
import type { Command } from 'commander'
import type { Container } from 'inversify'
import type { Config } from '../config.js'
import { tokens } from '../tokens.js'
import { CommandFailure, type Output, outputOf } from './output.js'

/** What a command works with: the core on the configured store, without a server in between. */
export type Workshop = {
  readonly core: Core
  readonly repositories: Repositories
  readonly config: Config
  readonly container: Container
  readonly output: Output
}

/** Opens the store for the command and closes it afterwards, whatever happens. What that takes is loaded when it runs: help needs none of it. */
export const inWorkshop =
  <A extends readonly unknown[]>(run: (workshop: Workshop, ...args: A) => Promise<void>) =>
  async (...args: [...A, Command]): Promise<void> => {
    const command = args.at(-1) as Command
    const [{ readConfig }, { serverContainer }] = await Promise.all([import('../config.js'), import('../container.js')])
    const config = readConfig({ ...process.env, POSTHORN_LOG_LEVEL: process.env.POSTHORN_LOG_LEVEL ?? 'error' })
    if (config.store === 'memory')
      throw new CommandFailure(
        'The store is memory: it belongs to the server’s process alone, so a command finds nothing in it.',
      )
    const container = serverContainer(config)
    const store = await container.getAsync(tokens.store)
    try {
      const core = container.get(tokens.core)
      await run(
        { core, repositories: store.repositories, config, container, output: outputOf(command) },
        ...(args.slice(0, -1) as unknown as A),
      )
    } finally {
      await container.get(tokens.mailer).close()
      await store.close()
    }
  }

/** The project that is meant: the one named or, where there is only one, that one. @throws CommandFailure */
export const projectScope = async ({ core }: Workshop, projectId: string | undefined): Promise<Scope> => {
  const projects = await core.projects.all()
  const [only, another] = projectId === undefined ? projects : projects.filter(({ _id }) => _id === projectId)
  if (!only)
    throw new CommandFailure(projectId === undefined ? 'There is no project yet.' : `There is no project ${projectId}.`)
  if (another) throw new CommandFailure('There are several projects; say which with --project <id>.')
  return { projectId: only._id, via: 'operator' }
}
