import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { projectResource } from '../kernel/project-resource.js'
import { duplicate } from '../kernel/refusal.js'
import { KeyTaken } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { newSuppression, SuppressionFields, SuppressionView } from './suppression.js'

type Deps = { readonly repositories: Pick<Repositories, 'suppressions'>; readonly clock: Clock; readonly newId: NewId }

/** Spec, "Suppression list". */
export const suppressionUseCases = ({ repositories: { suppressions }, clock, newId }: Deps) => {
  const resource = projectResource('Suppression', suppressions, SuppressionView)
  return {
    list: resource.list,

    /** @throws Refusal `invalid`, `duplicate` for an address in any spelling */
    create: async ({ projectId }: Scope, input: unknown): Promise<SuppressionView> => {
      const { email, reason } = parsed(SuppressionFields, input)
      const suppression = newSuppression({ _id: newId(), projectId, email, reason }, clock().toISOString())
      await suppressions.add(suppression).catch((error) => {
        if (error instanceof KeyTaken) throw duplicate('This email is already in the suppression list.')
        throw error
      })
      return resource.show(suppression)
    },

    /** @throws Refusal `not-found` */
    remove: resource.remove,
  }
}
