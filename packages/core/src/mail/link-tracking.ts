import { grouped } from '../kernel/collections.js'
import { textToBase64url } from '../kernel/encoding.js'
import { decodedAttribute, hrefKey, type LinkPlace, linkPlaces, webLinkTarget } from './link-places.js'
import { linkMergeTags } from './merge-context.js'
import {
  type LinkPiece,
  linkMarks,
  linkOccurrenceMark,
  linksWithTemplateTags,
  type MailTracker,
  tokenMark,
} from './template/marks.js'
import { literalProgram } from './template/program.js'
import { parsedTemplate, templateLimits } from './template/syntax.js'

/** In characters; longer links stay untracked (ADR 0041). */
export const longestTrackedLink = 120

const timesInLoop = '-100000'

const mostLinks = 2_000

export type BlockOfLink = { readonly position: string; readonly name: string }

type TrackedLink = {
  readonly to: readonly string[]
  /** Shared by all mails of the dispatch. */
  readonly shared?: readonly string[]
  readonly block: BlockOfLink
}

/** Numbered from 1. */
export type LinkTable = { readonly links: readonly TrackedLink[] }

export type DispatchTracking = {
  /** Without a trailing slash. */
  readonly base: string
  readonly opens: boolean
  readonly clicks: boolean
  readonly tokenLength: number
}

/** An invisible link: only machines follow it. */
export const trapLinkNumber = 0

const pixel = (base: string) =>
  `<img src="${base}/o/${tokenMark}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0" />`
const trap = (base: string) =>
  `<a href="${base}/c/${tokenMark}/${trapLinkNumber}" rel="nofollow" aria-hidden="true" tabindex="-1" style="display:none"></a>`

const image = /^\s{0,100}<img\b/i

const htmlBlock = (masked: string, { start, tagStart, tagEnd }: LinkPlace, index: number): BlockOfLink => {
  const isImage = image.test(masked.slice(tagEnd, tagEnd + 200))
  const tag = masked.slice(Math.max(tagStart, start - 500), Math.min(tagEnd, start + 500))
  const isButton = /\b(?:button|btn)\b/i.test(tag)
  return { position: String(index + 1), name: isImage ? 'image' : isButton ? 'button' : 'text' }
}

const readsOwnLink = new RegExp(`\\b(?:${linkMergeTags.join('|')})\\b`)

/** It begins with a tag or like a web URL, and reads none of Posthorn's own links. */
const mayLead = (source: string, { start, tags }: LinkPlace): boolean => {
  const [first] = tags
  const begins = first ? (decodedAttribute(source.slice(start, first.start)) ?? '') : ''
  return (
    (begins.trim() === '' || /^\s*h/i.test(begins)) &&
    !tags.some((tag) => readsOwnLink.test(source.slice(tag.start, tag.end)))
  )
}

type Found = { readonly place: LinkPlace; readonly block: BlockOfLink; readonly target?: string }

type TrackedTemplate = { readonly source: string; readonly table: LinkTable }

const textsOf = ({ texts }: LinkPiece): readonly string[] | undefined => {
  const read = texts.map(decodedAttribute)
  return read.every((text) => text !== undefined) ? read : undefined
}

/**
 * Once per dispatch. Undefined if nothing can be tracked.
 * @param blocks of a document's links, in order
 * @param isLiteral the HTML is no template
 */
export const trackedTemplate = (
  source: string,
  { base, opens, clicks, tokenLength }: DispatchTracking,
  blocks: readonly (BlockOfLink & { readonly href: string })[] = [],
  isLiteral = false,
): TrackedTemplate | undefined => {
  const places = linkPlaces(source, isLiteral)
  if (!places) return undefined
  const lengthOf = (link: number, { isLooped }: LinkPlace) =>
    `${base}/c//${link}${isLooped ? timesInLoop : ''}`.length + tokenLength
  const blocksOf = grouped(blocks, ({ href }) => href)
  const used = new Map<string, number>()

  const blockOf = (place: LinkPlace, index: number): BlockOfLink => {
    const href = hrefKey(source.slice(place.start, place.end))
    const n = used.get(href) ?? 0
    const same = blocksOf.get(href)
    const block = same?.[n] ?? same?.at(-1)
    if (!block) return htmlBlock(places.masked, place, index)
    used.set(href, n + 1)
    return { position: block.position, name: block.name }
  }

  const found: Found[] = []
  if (clicks)
    for (const [index, place] of places.links.entries()) {
      const block = blockOf(place, index)
      const text = place.tags.length === 0 ? decodedAttribute(source.slice(place.start, place.end)) : undefined
      const target = text === undefined ? undefined : webLinkTarget(text)
      const isTracked = place.tags.length === 0 ? target !== undefined : mayLead(source, place)
      if (isTracked && found.length < mostLinks && lengthOf(found.length + 1, place) <= longestTrackedLink)
        found.push({ place, block, ...(target !== undefined && { target }) })
    }

  let marked = ''
  let at = 0
  const insert = (until: number, text: string) => {
    marked += source.slice(at, until) + text
    at = until
  }
  for (const [index, { place, target }] of found.entries()) {
    const link = index + 1
    const [begin, end] = linkMarks(link)
    if (target === undefined) {
      insert(place.start, begin)
      insert(place.end, end)
    } else {
      insert(place.start, `${base}/c/${tokenMark}/${link}${place.isLooped ? `-${linkOccurrenceMark(link)}` : ''}`)
      at = place.end
    }
  }
  const added = `${clicks && found.length > 0 ? trap(base) : ''}${opens ? pixel(base) : ''}`
  insert(places.bodyEnd >= at ? places.bodyEnd : source.length, added)
  marked += source.slice(at)
  if (marked.length > templateLimits.length) return undefined

  const { program } = isLiteral ? { program: literalProgram(marked) } : parsedTemplate(marked)
  if (!program) return undefined
  const texts = new Map(linksWithTemplateTags(program).map((piece) => [piece.link, textsOf(piece)]))
  const links = found.map(({ target, block }, index): TrackedLink => {
    const to = target === undefined ? (texts.get(index + 1) ?? []) : [target]
    return { to, block }
  })
  return { source: marked, table: { links } }
}

export type MailTrackingTokens = {
  readonly token: string
  readonly personal: (ref: string, values: string) => string
}

/** Links per mail with values of their own; further ones stay untracked. */
const mostPersonal = 200

const simple = /^[\w-]*$/

/** One value of letters, digits, `_` and `-` stays readable; all others become base64url. */
const linkValuesText = (values: readonly string[]): string => {
  const [first = ''] = values
  return values.length === 1 && simple.test(first) ? `0${first}` : `1${textToBase64url(values.join('\n'))}`
}

export const filledLinkTarget = (to: readonly string[], values: readonly string[]): string | undefined =>
  values.length === to.length - 1 ? webLinkTarget(to.map((text, i) => text + (values[i] ?? '')).join('')) : undefined

/** Undefined if the values cannot be separated from the texts. */
const valuesIn = (to: readonly string[], written: readonly string[]): readonly string[] | undefined => {
  if (written.length !== 2 * to.length - 1) return undefined
  const values = written
    .filter((_, i) => i % 2 === 1)
    .map((value) => decodedAttribute(value)?.replaceAll(/[\t\r\n]/g, ''))
  if (!values.every((value) => value !== undefined)) return undefined
  const whole = decodedAttribute(written.join(''))?.replaceAll(/[\t\r\n]/g, '')
  const made = to
    .map((text, i) => text + (values[i] ?? ''))
    .join('')
    .replaceAll(/[\t\r\n]/g, '')
  return whole === made ? values : undefined
}

type Shared = ReadonlyMap<string, number>

/** `own`: links to Posthorn's own pages, which are not tracked. */
export const mailTrackers = ({ base }: Pick<DispatchTracking, 'base'>, { links }: LinkTable) => {
  const sharedOf = links.map(({ shared = [] }): Shared => new Map(shared.map((target, i) => [target, i + 1])))

  return ({ token, personal }: MailTrackingTokens, own: readonly string[]): MailTracker => {
    let occurrences = new Map<number, number>()
    let left = mostPersonal
    const occurrence = (link: number) => {
      const n = (occurrences.get(link) ?? 0) + 1
      occurrences.set(link, n)
      return n
    }

    const trackedLink = ({ to }: TrackedLink, link: number, written: readonly string[]): string | undefined => {
      const n = occurrence(link)
      const values = valuesIn(to, written)
      const target = values && filledLinkTarget(to, values)
      if (target === undefined || own.includes(target)) return undefined
      const times = n > 1 ? `-${n}` : ''
      const known = sharedOf[link - 1]?.get(target)
      if (known !== undefined) return within(`${base}/c/${token}/${link}.${known}${times}`)
      if (left === 0) return undefined
      const text = linkValuesText(values ?? [])
      const ref = `${link}${times}`
      if (personalLinkLength({ base, tokenLength: token.length }, ref, text.length) > longestTrackedLink)
        return undefined
      left -= 1
      return `${base}/c/${personal(ref, text)}`
    }

    return {
      token,
      begin: () => {
        occurrences = new Map()
        left = mostPersonal
      },
      occurrence,
      link: (link, written) => {
        const known = links[link - 1]
        return (known && trackedLink(known, link, written)) ?? written.join('')
      },
    }
  }
}

const within = (url: string): string | undefined => (url.length <= longestTrackedLink ? url : undefined)

/** Ids and signature together are as long as a token. */
export const personalLinkLength = (
  { base, tokenLength }: Pick<DispatchTracking, 'base' | 'tokenLength'>,
  ref: string | number,
  valuesLength: number,
): number => `${base}/c///${ref}`.length + tokenLength + valuesLength

const [mostShared, mostSharedText] = [5_000, 500_000]

/** Renders without a recipient to find targets that are the same in every mail. */
export const sharedLinkTargets = (
  { links }: LinkTable,
  keep: (link: number, valuesLength: number) => boolean,
): { readonly tracker: MailTracker; readonly table: () => LinkTable } => {
  const found = links.map(() => new Set<string>())
  let count = 0
  let length = 0
  const hear = (link: number, written: readonly string[]) => {
    const { to } = links[link - 1] ?? { to: [] }
    const values = valuesIn(to, written)
    const target = values && filledLinkTarget(to, values)
    if (!values || target === undefined || !keep(link, linkValuesText(values).length)) return
    const known = found[link - 1]
    if (known?.has(target) || count >= mostShared || length + target.length > mostSharedText) return
    known?.add(target)
    count += 1
    length += target.length
  }
  return {
    tracker: {
      token: '',
      begin: () => undefined,
      occurrence: () => 1,
      link: (link, written) => {
        hear(link, written)
        return written.join('')
      },
    },
    table: () => ({
      links: links.map((one, i) => {
        const shared = [...(found[i] ?? [])]
        return shared.length > 0 ? { ...one, shared } : one
      }),
    }),
  }
}
