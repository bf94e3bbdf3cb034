import type { RepositoriesFor } from '../../kernel/repository.js'
import { mailFigureSubjects } from '../../reporting/figures/figure.js'
import type { Delivery } from './delivery.js'
import {
  type ContentSnapshot,
  type Dispatch,
  type SentContent,
  sentContentLookup,
  subscriberListIdOf,
} from './dispatch.js'

/** The statistics that a mail counts in, and its names in events. */
export type StatisticsAttribution = {
  readonly dispatch: Pick<Dispatch, 'kind' | 'emailId' | 'projectId' | 'tags' | 'stage' | 'attachments'>
  /** With merge tags; for deliveries without a rendered subject. */
  readonly subject: string
  /** Of all recipients alike; empty for a test. */
  readonly figureSubjects: readonly string[]
}

export const attributionOf = (dispatch: Dispatch, { email, from }: SentContent): StatisticsAttribution => {
  const { kind, projectId, emailId, audience } = dispatch
  return {
    dispatch,
    subject: email.subject,
    figureSubjects:
      kind === 'test'
        ? []
        : mailFigureSubjects({ projectId, emailId, subscriberListId: subscriberListIdOf(audience), from }),
  }
}

type Deps = { readonly repositories: RepositoriesFor<{ dispatches: Dispatch; contents: ContentSnapshot }> }

/** Undefined if the dispatch was deleted. */
export const attributionOfDelivery = ({ repositories: { dispatches, contents } }: Deps) => {
  const contentOf = sentContentLookup({ contents })
  return async ({ dispatchId, projectId }: Delivery): Promise<StatisticsAttribution | undefined> => {
    const dispatch = await dispatches.get({ _id: dispatchId, projectId })
    const content = dispatch && (await contentOf(dispatch))
    return content && attributionOf(dispatch, content)
  }
}
