import { mailSubjects } from '../../figures/figure.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { Delivery } from './delivery.js'
import { type Content, type Dispatch, listIdOf } from './dispatch.js'

/** What a mail's dispatch says of it: whose figures it counts for, and how events name it. */
export type Attribution = {
  readonly dispatch: Pick<Dispatch, 'kind' | 'emailId' | 'projectId'>
  /** Of a mail whose delivery has none of its own: as stored, with its merge tags. */
  readonly subject: string
  /** Whose figures it counts for; a test's for nobody's. */
  readonly subjects: readonly string[]
}

export const attributionOf = (dispatch: Dispatch, { email, from }: Content): Attribution => {
  const { kind, projectId, emailId, audience } = dispatch
  return {
    dispatch,
    subject: email.subject,
    subjects: kind === 'test' ? [] : mailSubjects({ projectId, emailId, subscriberListId: listIdOf(audience), from }),
  }
}

type Deps = { readonly repositories: RepositoriesFor<{ dispatches: Dispatch; contents: Content }> }

/** The facts of a mail that left, perhaps long ago; undefined where its dispatch is gone. */
export const attributionOfDelivery =
  ({ repositories: { dispatches, contents } }: Deps) =>
  async ({ dispatchId, projectId }: Delivery): Promise<Attribution | undefined> => {
    const dispatch = await dispatches.get({ _id: dispatchId, projectId })
    const content = dispatch && (await contents.get({ _id: dispatch.contentId, projectId }))
    return content && attributionOf(dispatch, content)
  }
