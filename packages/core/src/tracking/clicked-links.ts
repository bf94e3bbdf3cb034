import { ifKeyTaken, type RepositoriesFor, type StoredRecord } from '../kernel/repository.js'
import { figureSubject } from '../reporting/figures/figure.js'
import { type ContentSnapshot, type Dispatch, sentContentLookup } from '../sending/ledger/dispatch.js'
import type { MailEvent } from './events.js'

export type ClickedLink = {
  readonly link: string
  readonly blockPosition?: string | undefined
  readonly blockName?: string | undefined
}

/** In order of first clicks; `_id` is the email's. */
export type EmailClickedLinks = StoredRecord & { readonly projectId: string; readonly links: readonly ClickedLink[] }

/** Clicks on further links are counted together. */
export const mostClickedLinks = 100

/** In characters. */
const longestLink = 500
const longestName = 100

const attributeOf = (text: string) => text.replaceAll('&', '&amp;')

/** Cut where it first differs from the document: the rest comes from merge tags and could identify a recipient. */
export const linkAsWritten = (link: string, document: string): string => {
  const text = link.slice(0, longestLink)
  const isWritten = (length: number) => {
    const start = text.slice(0, length)
    return document.includes(start) || document.includes(attributeOf(start))
  }
  let [written, beyond] = [0, text.length + 1]
  while (beyond - written > 1) {
    const middle = (written + beyond) >> 1
    if (isWritten(middle)) written = middle
    else beyond = middle
  }
  if (written === link.length) return link
  const [scheme = '', , host = ''] = text.split('/', 3)
  const origin = `${scheme}//${host}/`
  if (host === '') return '…'
  if (written > origin.length) return `${text.slice(0, written)}…`
  return written >= origin.length - 1 ? `${origin}…` : `${scheme}//…`
}

type Deps = {
  readonly repositories: RepositoriesFor<{
    dispatches: Dispatch
    contents: ContentSnapshot
    emailLinks: EmailClickedLinks
  }>
}

type Clicked = Pick<MailEvent, 'link' | 'blockPosition' | 'blockName'>

const cut = (name: string | undefined) => name?.slice(0, longestName)

const placeOf = (links: readonly ClickedLink[], { link, blockPosition, blockName }: ClickedLink) =>
  links.findIndex((one) => one.link === link && one.blockPosition === blockPosition && one.blockName === blockName)

const blockOf = ({ blockPosition, blockName }: Clicked) => ({
  ...(blockPosition && { blockPosition: cut(blockPosition) }),
  ...(blockName && { blockName: cut(blockName) }),
})

/** The index of a link that was clicked before; adds none. */
export const knownLinkIndex =
  ({ repositories: { emailLinks } }: { readonly repositories: RepositoriesFor<{ emailLinks: EmailClickedLinks }> }) =>
  async (emailId: string, { link, ...block }: Clicked): Promise<number | undefined> => {
    if (!link) return undefined
    const place = placeOf((await emailLinks.get({ _id: emailId }))?.links ?? [], { link, ...blockOf(block) })
    return place < 0 ? undefined : place
  }

/** Links beyond `mostClickedLinks` share one subject. */
export const clickedLinks = ({ repositories: { dispatches, contents, emailLinks } }: Deps) => {
  const contentOf = sentContentLookup({ contents })

  /** With the values of the design system, which are the same for every recipient. */
  const documentOf = async (dispatchId: string): Promise<string> => {
    const dispatch = await dispatches.get({ _id: dispatchId })
    const content = dispatch && (await contentOf(dispatch))
    const variables = Object.values(content?.design ?? {}).flatMap((values) => Object.values(values))
    return [content?.email.document, ...variables].filter((part) => typeof part === 'string').join('\n')
  }

  /** Undefined if there are too many links. */
  const placed = async (emailId: string, projectId: string, one: ClickedLink): Promise<number | undefined> => {
    const added = (links: readonly ClickedLink[]) =>
      placeOf(links, one) >= 0 || links.length >= mostClickedLinks ? links : [...links, one]
    const change = () =>
      emailLinks.change({ _id: emailId }, (current) => {
        const links = added(current.links)
        return links === current.links ? current : { ...current, links }
      })
    const first: EmailClickedLinks = { _id: emailId, projectId, links: [one] }
    const record =
      (await change()) ??
      (await emailLinks.add(first).then(
        () => first,
        ifKeyTaken(() => change()),
      ))
    const place = placeOf(record?.links ?? [], one)
    return place < 0 ? undefined : place
  }

  return async (
    emailId: string,
    { dispatchId, projectId }: { readonly dispatchId: string; readonly projectId: string },
    { link, ...given }: Clicked = {},
  ): Promise<{ readonly subject: string; readonly place: number } | undefined> => {
    if (!link) return undefined
    const block = blockOf(given)
    const known = placeOf((await emailLinks.get({ _id: emailId }))?.links ?? [], { link, ...block })
    const place =
      known >= 0
        ? known
        : await placed(emailId, projectId, { link: linkAsWritten(link, await documentOf(dispatchId)), ...block })
    return { subject: figureSubject.link(emailId, place ?? 'others'), place: place ?? mostClickedLinks }
  }
}
