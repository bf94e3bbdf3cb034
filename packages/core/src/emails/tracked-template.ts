import { grouped } from '../kernel/grouped.js'
import { hrefKey } from './link-blocks.js'
import { type LinkPlace, linkPlaces } from './link-places.js'
import { attributeText, webTarget } from './link-target.js'
import { mergeLinkNames } from './merge-tags.js'
import { templateLimits } from './template-limits.js'
import { type LinkPiece, linkMarks, linksWithTags, occurrenceMark, tokenMark } from './template-marks.js'
import { parsedTemplate } from './template-syntax.js'

/** The longest that the URL of a tracked link is; what would be longer is left as it is (ADR 0041). */
export const longestLink = 120

/** As many characters as the longest number of times that a loop comes by. */
const timesInLoop = '-100000'

/** Further ones of a template are left as they are. */
const mostLinks = 2_000

/** Which block of its document a link stands in. */
export type LinkBlock = { readonly position: string; readonly name: string }

/** A link of a template, as its table has it. Plain data. */
export type TrackedLink = {
  /** The texts of its target: one where all mails have the same, else with a value between each two. */
  readonly to: readonly string[]
  /** Targets that its values make in every mail, from what all mails of the dispatch see. */
  readonly shared?: readonly string[]
  readonly block: LinkBlock
}

/** What a dispatch's links lead to, by their numbers from 1. */
export type LinkTable = { readonly links: readonly TrackedLink[] }

/** What is told of the mails of a dispatch, and by what address. */
export type Tracking = {
  /** Without a slash at its end. */
  readonly base: string
  readonly opens: boolean
  readonly clicks: boolean
  /** Of the mails' tokens, which all are of one length. */
  readonly tokenLength: number
}

/** The number of a link that nobody sees: who follows it is no person. */
export const trapLink = 0

const pixel = (base: string) =>
  `<img src="${base}/o/${tokenMark}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0" />`
const trap = (base: string) =>
  `<a href="${base}/c/${tokenMark}/${trapLink}" rel="nofollow" aria-hidden="true" tabindex="-1" style="display:none"></a>`

const image = /^\s{0,100}<img\b/i

/** Which block of HTML a link is: its number among the links, and what a reader sees of it. */
const htmlBlock = (masked: string, { start, tagStart, tagEnd }: LinkPlace, index: number): LinkBlock => {
  const isImage = image.test(masked.slice(tagEnd, tagEnd + 200))
  const tag = masked.slice(Math.max(tagStart, start - 500), Math.min(tagEnd, start + 500))
  const isButton = /\b(?:button|btn)\b/i.test(tag)
  return { position: String(index + 1), name: isImage ? 'image' : isButton ? 'button' : 'text' }
}

const readsOwnLink = new RegExp(`\\b(?:${mergeLinkNames.join('|')})\\b`)

/** A link with tags that may be tracked: what it says before its first tag leads into the web, as far as that is said. */
const mayLead = (source: string, { start, tags }: LinkPlace): boolean => {
  const [first] = tags
  const begins = first ? (attributeText(source.slice(start, first.start)) ?? '') : ''
  return (
    (begins.trim() === '' || /^\s*h/i.test(begins)) &&
    !tags.some((tag) => readsOwnLink.test(source.slice(tag.start, tag.end)))
  )
}

type Found = { readonly place: LinkPlace; readonly block: LinkBlock; readonly target?: string }

/** What a template is sent as, and what its links lead to. */
export type TrackedTemplate = { readonly source: string; readonly table: LinkTable }

/** The texts of a link with tags; undefined where one cannot be read. */
const textsOf = ({ texts }: LinkPiece): readonly string[] | undefined => {
  const read = texts.map(attributeText)
  return read.every((text) => text !== undefined) ? read : undefined
}

/**
 * Marks a template where each mail has links of its own, and adds what tells that it was opened: found here, once for a dispatch.
 * `blocks`: which block the links of a document stand in, by what is written for their targets, in order. Undefined where nothing of
 * it can be tracked.
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

  /** Of links with the same target, the blocks are in their order. */
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
