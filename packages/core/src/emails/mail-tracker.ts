import { toBase64url } from '../kernel/base64url.js'
import { attributeText, webTarget } from './link-target.js'
import type { MailTracker } from './template-marks.js'
import { type LinkTable, longestLink, type TrackedLink, type Tracking } from './tracked-template.js'

/** What makes the links of one mail (`MailTokens`). */
export type MailTracking = {
  readonly token: string
  readonly personal: (ref: string, values: string) => string
}

/** So many links of one mail have values of its own; further ones are left as they are. */
const mostPersonal = 200

const simple = /^[\w-]*$/

/** Values in a URL: one that is letters and digits as it is, else all in base64url. */
export const valuesText = (values: readonly string[]): string => {
  const [first = ''] = values
  return values.length === 1 && simple.test(first) ? `0${first}` : `1${toBase64url(values.join('\n'))}`
}

/** Where a link leads for these values, if that is a place in the web. */
export const targetOf = (to: readonly string[], values: readonly string[]): string | undefined =>
  values.length === to.length - 1 ? webTarget(to.map((text, i) => text + (values[i] ?? '')).join('')) : undefined

/** The values between the texts of a link as written in HTML; undefined where they cannot be told apart from these. */
const valuesIn = (to: readonly string[], written: readonly string[]): readonly string[] | undefined => {
  if (written.length !== 2 * to.length - 1) return undefined
  const values = written.filter((_, i) => i % 2 === 1).map((value) => attributeText(value)?.replaceAll(/[\t\r\n]/g, ''))
  if (!values.every((value) => value !== undefined)) return undefined
  const whole = attributeText(written.join(''))?.replaceAll(/[\t\r\n]/g, '')
  const made = to
    .map((text, i) => text + (values[i] ?? ''))
    .join('')
    .replaceAll(/[\t\r\n]/g, '')
  return whole === made ? values : undefined
}

type Shared = ReadonlyMap<string, number>

/** Where the marks of a dispatch's mails lead: a tracker for each mail. `own`: links that are the mail's way to Posthorn's pages. */
export const mailTrackers = ({ base }: Pick<Tracking, 'base'>, { links }: LinkTable) => {
  const sharedOf = links.map(({ shared = [] }): Shared => new Map(shared.map((target, i) => [target, i + 1])))

  return ({ token, personal }: MailTracking, own: readonly string[]): MailTracker => {
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
      const target = values && targetOf(to, values)
      if (target === undefined || own.includes(target)) return undefined
      const times = n > 1 ? `-${n}` : ''
      const known = sharedOf[link - 1]?.get(target)
      if (known !== undefined) return within(`${base}/c/${token}/${link}.${known}${times}`)
      if (left === 0) return undefined
      const text = valuesText(values ?? [])
      const ref = `${link}${times}`
      if (personalLength({ base, tokenLength: token.length }, ref, text.length) > longestLink) return undefined
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

const within = (url: string): string | undefined => (url.length <= longestLink ? url : undefined)

/** Of a link with values of its own: its ids and its signature are together as long as a token. */
export const personalLength = (
  { base, tokenLength }: Pick<Tracking, 'base' | 'tokenLength'>,
  ref: string | number,
  valuesLength: number,
): number => `${base}/c///${ref}`.length + tokenLength + valuesLength

/** Of one dispatch, and in characters. */
const [mostShared, mostSharedText] = [5_000, 500_000]

/**
 * Hears what the links with tags lead to in a mail to nobody, so that what is the same in every mail is in the table. `keep`: whether a
 * target is worth that, by the length that its values would have in a URL.
 */
export const sharedTargets = (
  { links }: LinkTable,
  keep: (link: number, valuesLength: number) => boolean,
): { readonly tracker: MailTracker; readonly table: () => LinkTable } => {
  const found = links.map(() => new Set<string>())
  let count = 0
  let length = 0
  const hear = (link: number, written: readonly string[]) => {
    const { to } = links[link - 1] ?? { to: [] }
    const values = valuesIn(to, written)
    const target = values && targetOf(to, values)
    if (!values || target === undefined || !keep(link, valuesText(values).length)) return
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
