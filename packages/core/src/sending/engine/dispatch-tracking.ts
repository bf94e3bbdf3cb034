import type { LinkTables } from '../../emails/link-tables.js'
import { personalLength } from '../../emails/mail-tracker.js'
import { type EmailToPrepare, linkTableOf } from '../../emails/rendering.js'
import { longestLink } from '../../emails/tracked-template.js'
import type { Project } from '../../projects/project.js'
import { tokenLength } from '../../tokens/tracking-token.js'
import type { Dispatch } from '../ledger/dispatch.js'

type Deps = { readonly linkTables: Pick<LinkTables, 'keep'>; readonly settings: { readonly publicUrl: string } }

/** Until there is an answer to what mails would tell. */
const unlessTold = { opens: false, clicks: false }

/**
 * Stage 4 of a sending, its once-per-dispatch half: the links of a dispatch's mails, kept before any of them leaves. Undefined for a
 * test, for text, and where nobody wants to know.
 */
export const dispatchTracking =
  ({ linkTables, settings: { publicUrl } }: Deps) =>
  async (
    dispatch: Pick<Dispatch, 'kind' | 'audience'>,
    _project: Project,
    email: Pick<EmailToPrepare, 'content' | 'data' | 'feeds' | 'design'>,
  ): Promise<EmailToPrepare['tracking']> => {
    if (dispatch.kind === 'test' || email.content.type === 'text') return undefined
    if (!unlessTold.opens && !unlessTold.clicks) return undefined
    const isOne = dispatch.audience.kind === 'address'
    const tracking = {
      base: publicUrl,
      ...unlessTold,
      tokenLength: isOne ? tokenLength.one : tokenLength.many,
    }
    // What all mails share goes into the table once; the values of a single mail do only where its links have no room for them.
    const table = linkTableOf(
      email,
      tracking,
      (link, values) => !isOne || personalLength(tracking, link, values) > longestLink,
    )
    return table && { ...tracking, table, tableId: await linkTables.keep(table) }
  }
