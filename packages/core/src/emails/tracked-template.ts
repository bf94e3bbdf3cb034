import { grouped } from '../kernel/grouped.js'
import { hrefKey } from './link-blocks.js'
import { type LinkPlace, linkPlaces } from './link-places.js'
import { attributeText, webTarget } from './link-target.js'
import { mergeLinkNames } from './merge-tags.js'
import { templateLimits } from './template-limits.js'
import { type LinkPiece, linkMarks, linksWithTags, occurrenceMark, tokenMark } from './template-marks.js'
import { parsedTemplate } from './template-syntax.js'

/** Longest URL of a tracked link, in characters; links that would be longer stay untracked (ADR 0041). */
export const longestLink = 120

/** Suffix with the largest occurrence number in a loop, to reserve its length. */
const timesInLoop = '-100000'

/** Maximum number of tracked links of a template; further ones stay untracked. */
const mostLinks = 2_000

/** The block of the document that contains a link. */
export type LinkBlock = { readonly position: string; readonly name: string }

/** A template's link as stored in the link table. Plain data. */
export type TrackedLink = {
  /** The fixed texts of the target: one if it is the same in all mails, else one before, between and after its values. */
  readonly to: readonly string[]
  /** Targets that occur with values that all mails of the dispatch share. */
  readonly shared?: readonly string[]
  readonly block: LinkBlock
}

/** The targets of a dispatch's links, numbered from 1. */
export type LinkTable = { readonly links: readonly TrackedLink[] }

/** What is tracked in the mails of a dispatch, and the base URL of the links. */
export type Tracking = {
  /** Without a trailing slash. */
  readonly base: string
  readonly opens: boolean
  readonly clicks: boolean
  /** Length of the mails' tokens, which is the same for all. */
  readonly tokenLength: number
}

/** Number of an invisible link: a client that follows it is a machine. */
export const trapLink = 0

const pixel = (base: string) =>
  `<img src="${base}/o/${tokenMark}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0" />`
const trap = (base: string) =>
  `<a href="${base}/c/${tokenMark}/${trapLink}" rel="nofollow" aria-hidden="true" tabindex="-1" style="display:none"></a>`

const image = /^\s{0,100}<img\b/i

/** The block name of a link in plain HTML: its position among the links, and its appearance. */
const htmlBlock = (masked: string, { start, tagStart, tagEnd }: LinkPlace, index: number): LinkBlock => {
  const isImage = image.test(masked.slice(tagEnd, tagEnd + 200))
  const tag = masked.slice(Math.max(tagStart, start - 500), Math.min(tagEnd, start + 500))
  const isButton = /\b(?:button|btn)\b/i.test(tag)
  return { position: String(index + 1), name: isImage ? 'image' : isButton ? 'button' : 'text' }
}

const readsOwnLink = new RegExp(`\\b(?:${mergeLinkNames.join('|')})\\b`)

/**
 * Whether a link with tags may be tracked: its text before the first tag is empty or starts like a web URL, and no tag reads one of
 * Posthorn's own links.
 */
const mayLead = (source: string, { start, tags }: LinkPlace): boolean => {
  const [first] = tags
  const begins = first ? (attributeText(source.slice(start, first.start)) ?? '') : ''
  return (
    (begins.trim() === '' || /^\s*h/i.test(begins)) &&
    !tags.some((tag) => readsOwnLink.test(source.slice(tag.start, tag.end)))
  )
}

type Found = { readonly place: LinkPlace; readonly block: LinkBlock; readonly target?: string }

/** The marked template with its link table. */
export type TrackedTemplate = { readonly source: string; readonly table: LinkTable }

/** The fixed texts of a link with tags; undefined if one of them cannot be decoded. */
const textsOf = ({ texts }: LinkPiece): readonly string[] | undefined => {
  const read = texts.map(attributeText)
  return read.every((text) => text !== undefined) ? read : undefined
}

/**
 * Marks a template's links and adds the tracking pixel; done once per dispatch. `blocks`: the blocks of a document's links with their
 * targets as written, in order. Undefined if nothing can be tracked.
 */
export const trackedTemplate = (
  source: string,
  { base, opens, clicks, tokenLength }: Tracking,
  blocks: readonly (LinkBlock & { readonly href: string })[] = [],
): TrackedTemplate | undefined => {
  const places = linkPlaces(source)
  if (!places) return undefined
  const lengthOf = (link: number, { isLooped }: LinkPlace) =>
    `${base}/c//${link}${isLooped ? timesInLoop : ''}`.length + tokenLength
  const blocksOf = grouped(blocks, ({ href }) => href)
  const used = new Map<string, number>()

  /** Blocks of links with the same target are assigned in order. */
  const blockOf = (place: LinkPlace, index: number): LinkBlock => {
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
      const text = place.tags.length === 0 ? attributeText(source.slice(place.start, place.end)) : undefined
      const target = text === undefined ? undefined : webTarget(text)
      const isTracked = place.tags.length === 0 ? target !== undefined : mayLead(source, place)
      if (isTracked && found.length < mostLinks && lengthOf(found.length + 1, place) <= longestLink)
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
      insert(place.start, `${base}/c/${tokenMark}/${link}${place.isLooped ? `-${occurrenceMark(link)}` : ''}`)
      at = place.end
    }
  }
  const added = `${clicks && found.length > 0 ? trap(base) : ''}${opens ? pixel(base) : ''}`
  insert(places.bodyEnd >= at ? places.bodyEnd : source.length, added)
  marked += source.slice(at)
  if (marked.length > templateLimits.length) return undefined

  const { program } = parsedTemplate(marked)
  if (!program) return undefined
  const texts = new Map(linksWithTags(program).map((piece) => [piece.link, textsOf(piece)]))
  const links = found.map(({ target, block }, index): TrackedLink => {
    const to = target === undefined ? (texts.get(index + 1) ?? []) : [target]
    return { to, block }
  })
  return { source: marked, table: { links } }
}
