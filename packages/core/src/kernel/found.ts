import { notFound } from './refusal.js'
import type { Lookup } from './repository.js'

/** Returns the record if there is one. @throws Refusal `not-found`, named by the noun of its repository */
export const found = <T>({ noun }: { readonly noun: string }, record: T | undefined): T => {
  if (record === undefined) throw notFound(noun)
  return record
}

/** The first matching record. @throws Refusal `not-found` */
export const foundIn = async <T>(repository: Lookup<T>, where: Parameters<Lookup<T>['get']>[0]): Promise<T> =>
  found(repository, await repository.get(where))
