import { byteBoundedCache, byteBoundedLookup, textMemoryBytes } from '../kernel/byte-bounded-cache.js'
import type { Secrets } from '../kernel/ports.js'
import { blocked, Refusal } from '../kernel/refusal.js'
import { standaloneViolation, type Violation } from '../kernel/violation.js'
import type { EmailContent } from './content.js'
import { findTagsAndHiddenParts, type TemplateTag, templateTags } from './markup.js'
import type { PlainTextConverter } from './ports.js'
import { contentTemplates, type EmailToPrepare } from './rendering.js'
import { RenderFailure } from './template/budget.js'
import { templateProblems } from './template/syntax.js'

/** Stands for a tag during conversion, as one word of noncharacters (Unicode 23.7). */
const [begin, end, zero] = [0xfdd0, 0xfdd1, 0xfdd2]
const noncharacters = /[\uFDD0-\uFDEF]/g
const standIns = /\uFDD0([\uFDD2-\uFDDB]{1,7})\uFDD1/g

const standIn = (index: number): string =>
  String.fromCharCode(begin, ...Array.from(String(index), (digit) => zero + Number(digit)), end)
const indexIn = (digits: string): number => Number(Array.from(digits, (digit) => digit.charCodeAt(0) - zero).join(''))

/** `block` is the index of the tag that opens the block. */
type Numbered = { readonly text: string; readonly kind: TemplateTag['kind']; readonly block: number }

const numbered = (source: string, tags: readonly TemplateTag[]): readonly Numbered[] | undefined => {
  const open: number[] = []
  const found: Numbered[] = []
  for (const [index, { start, end, kind }] of tags.entries()) {
    if (kind === 'open') open.push(index)
    const block = open.at(-1) ?? -1
    if (kind !== 'other' && block === -1) return undefined
    if (kind === 'close') open.pop()
    found.push({ text: source.slice(start, end), kind, block })
  }
  return open.length === 0 ? found : undefined
}

const masked = (source: string, tags: readonly TemplateTag[], blocks: readonly Numbered[]): string => {
  const same = new Map<string, number>()
  let html = ''
  let at = 0
  for (const [index, { start, end, kind }] of tags.entries()) {
    const text = blocks[index]?.text ?? ''
    const first = kind === 'other' ? (same.get(text) ?? index) : index
    if (kind === 'other') same.set(text, first)
    html += source.slice(at, start).replace(noncharacters, '') + standIn(first)
    at = end
  }
  return html + source.slice(at).replace(noncharacters, '')
}

/**
 * Hidden parts are removed, so block tags leave those that contain only some of them. Undefined if a block is partly
 * inside an HTML tag.
 */
const hoisted = (html: string, blocks: readonly Numbered[]): string | undefined => {
  let out = ''
  let at = 0
  for (const { start, end, hidden } of findTagsAndHiddenParts(html)) {
    const construct = html.slice(start, end)
    const inside = [...construct.matchAll(standIns)].map(([, digits = '']) => blocks[indexIn(digits)])
    const opened = new Set(inside.flatMap((tag) => (tag?.kind === 'open' ? tag.block : [])))
    const closed = new Set(inside.flatMap((tag) => (tag?.kind === 'close' ? tag.block : [])))
    let moved = ''
    const rest = construct.replace(standIns, (whole, digits: string) => {
      const tag = blocks[indexIn(digits)]
      if (!tag || tag.kind === 'other' || (opened.has(tag.block) && closed.has(tag.block))) return whole
      moved += whole
      return ''
    })
    if (moved !== '' && !hidden) return undefined
    out += html.slice(at, start) + moved + rest
    at = end
  }
  return out + html.slice(at)
}

/** Undefined if a block's tags are incomplete or out of order after conversion. */
const unmasked = (text: string, blocks: readonly Numbered[]): string | undefined => {
  const open: number[] = []
  const left = new Map<number, number>()
  for (const { kind, block } of blocks) if (kind !== 'other') left.set(block, (left.get(block) ?? 0) + 1)
  const expected = new Map(left)
  let whole = true
  const restored = text.replace(standIns, (_, digits: string) => {
    const tag = blocks[indexIn(digits)]
    if (!tag) return ''
    if (tag.kind === 'other') return tag.text
    if (tag.kind === 'open') open.push(tag.block)
    if (open.at(-1) !== tag.block) whole = false
    if (tag.kind === 'close') open.pop()
    left.set(tag.block, (left.get(tag.block) ?? 0) - 1)
    return tag.text
  })
  for (const [block, count] of left) if (count !== 0 && count !== expected.get(block)) whole = false
  return whole && open.length === 0 ? restored.replace(noncharacters, '') : undefined
}

/** A block's tags are kept or removed together. Undefined if each rendered mail must be converted. */
export const textTemplateOf = async (
  source: string,
  convert: (html: string) => Promise<string>,
): Promise<string | undefined> => {
  const tags = templateTags(source)
  const blocks = tags && numbered(source, tags)
  const html = blocks && hoisted(masked(source, tags, blocks), blocks)
  return html === undefined ? undefined : unmasked(await convert(html), blocks ?? [])
}

type Deps = {
  readonly plainText: PlainTextConverter
  readonly secrets: Pick<Secrets, 'digest'>
}

/** In bytes: about 20,000 digests of templates that compile. */
const digestBytes = 4 * 1024 * 1024
/** Cached plain texts, in bytes. */
const textsBytes = 8 * 1024 * 1024

const isBlocked = (error: unknown): error is Refusal => error instanceof Refusal && error.kind === 'blocked'

export const emailTemplateChecks = ({ plainText, secrets }: Deps) => {
  const valid = byteBoundedCache<string, true>({ maxBytes: digestBytes, sizeOf: (digest) => digest.length * 2 + 64 })
  const texts = byteBoundedLookup<string | undefined>({
    maxBytes: textsBytes,
    largestEntry: textsBytes / 4,
    sizeOf: (text = '') => textMemoryBytes(text),
  })

  /** Undefined if the result is no valid template. */
  const textTemplate = async (html: string, projectId: string, isLiteral: boolean): Promise<string | undefined> => {
    if (isLiteral) return plainText(html, projectId)
    const text = await textTemplateOf(html, (masked) => plainText(masked, projectId))
    return text === undefined || templateProblems('plain text', text).length > 0 ? undefined : text
  }

  const violations = (content: EmailContent, documentName?: string): readonly Violation[] =>
    content.isLiteral
      ? []
      : contentTemplates(content, documentName).flatMap(({ field, source }) => {
          if (!source.includes('{{')) return []
          const digest = secrets.digest(source)
          if (valid.get(digest)) return []
          const wrong = templateProblems(field, source)
          if (wrong.length === 0) valid.set(digest, true)
          return wrong.map((sentence) => standaloneViolation(field, sentence))
        })

  return {
    /** A template of the largest size takes about 0.1 s; one that was valid is remembered. */
    violations,

    /** @throws Refusal `blocked` with the first violation */
    assertCompiles: (content: EmailContent, documentName?: string): void => {
      const [violation] = violations(content, documentName)
      if (violation) throw blocked(violation.sentence)
    },

    /** @throws Refusal `blocked`, `busy` */
    plainTextOf: async (
      { type, document, text, isLiteral = false }: EmailContent,
      projectId: string,
    ): Promise<EmailToPrepare['plainText']> => {
      if (type === 'text' || typeof document !== 'string') return { template: '' }
      if (text !== undefined) return { template: text }
      const key = `${projectId}:${isLiteral ? 'literal:' : ''}${secrets.digest(document)}`
      const template = await texts(key, () => textTemplate(document, projectId, isLiteral))
      if (template !== undefined) return { template }
      return {
        of: async (html) => {
          try {
            return await plainText(html, projectId)
          } catch (error) {
            throw isBlocked(error) ? new RenderFailure(error.message) : error
          }
        },
      }
    },
  }
}
export type EmailTemplateChecks = ReturnType<typeof emailTemplateChecks>
