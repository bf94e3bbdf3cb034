import { textBytes } from '../kernel/byte-bounded-cache.js'
import { cachedAnswers } from '../kernel/cached-answers.js'
import type { Lookup } from '../kernel/repository.js'
import type { Project } from './project.js'

/** Looks up a project's account. Shares of the server are charged to the account, because one customer may have many projects. */
export type AccountOf = (projectId: string) => Promise<string>

const maxBytes = 1024 * 1024

/**
 * Looks accounts up through a cache of at most 1 MB, which never expires: a project never changes its account. A deleted project counts as
 * its own account.
 */
export const accountLookup = (projects: Lookup<Pick<Project, '_id' | 'accountId'>>): AccountOf => {
  const answer = cachedAnswers<string>({ maxBytes, sizeOf: textBytes })
  return (projectId) => answer(projectId, async () => (await projects.get({ _id: projectId }))?.accountId ?? projectId)
}
