import { toBase64url } from '../kernel/base64url.js'
import { attributeText, webTarget } from './link-target.js'
import type { MailTracker } from './template-marks.js'
import { type LinkTable, longestLink, type TrackedLink, type Tracking } from './tracked-template.js'

/** What one mail's links are built from (`MailTokens`). */
export type MailTracking = {
  readonly token: string
  readonly personal: (ref: string, values: string) => string
}

/** Maximum number of links per mail that carry their own values; further links stay untracked. */
const mostPersonal = 200

const simple = /^[\w-]*$/

/** Values in a URL: a single value of letters, digits, `_` and `-` as it is, all others in base64url. */
export const valuesText = (values: readonly string[]): string => {
  const [first = ''] = values
  return values.length === 1 && simple.test(first) ? `0${first}` : `1${toBase64url(values.join('\n'))}`
}

/** The link's target for these values; undefined if it is no http or https URL. */
export const targetOf = (to: readonly string[], values: readonly string[]): string | undefined =>
  values.length === to.length - 1 ? webTarget(to.map((text, i) => text + (values[i] ?? '')).join('')) : undefined

/** The values between the texts of a link as written in HTML; undefined if they cannot be separated from the texts. */
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

/** Creates the trackers of a dispatch's mails. `own`: links to Posthorn's own pages, which are not tracked. */
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

/** Length of a link's URL with its own values: ids and signature together are as long as a token. */
export const personalLength = (
  { base, tokenLength }: Pick<Tracking, 'base' | 'tokenLength'>,
  ref: string | number,
  valuesLength: number,
): number => `${base}/c///${ref}`.length + tokenLength + valuesLength

/** Limits of shared targets per dispatch: their number, and their length in characters. */
const [mostShared, mostSharedText] = [5_000, 500_000]

/**
 * Collects the targets of links with tags in a rendering without a recipient, so that targets that are the same in every mail go into the
 * table. `keep` decides whether a target is stored, given the length of its values in a URL.
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
