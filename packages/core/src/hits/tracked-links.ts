import { type LinkTables, linkTables } from '../emails/link-tables.js'
import { webTarget, withAsciiHost } from '../emails/link-target.js'
import { targetOf } from '../emails/mail-tracker.js'
import { type LinkBlock, trapLink } from '../emails/tracked-template.js'
import { bytesOfBase64url } from '../kernel/base64url.js'
import type { Clock, Files, Secrets } from '../kernel/ports.js'
import { readMailToken, readPersonalLink, type TrackedMail } from '../tokens/tracking-token.js'
import { type HitMeter, noHitMeter } from './hit-meter.js'

type Deps = {
  readonly files: Pick<Files, 'get' | 'put'>
  readonly secrets: Pick<Secrets, 'sign' | 'digest' | 'verifiesShort'>
  readonly clock: Clock
  readonly hitMeter?: HitMeter | undefined
}

/** A link of a mail that somebody asks for; without a target, it is the one that nobody sees. */
export type FollowedLink = {
  readonly mail: TrackedMail
  readonly link: number
  /** An address by `http:` or `https:`, which the mail had. */
  readonly target?: string
  readonly block?: LinkBlock | undefined
}

/** The parts of a link's path after `/c/`: two of a link that all mails have, three of one with values of its own. */
export type LinkPath = { readonly token: string; readonly ref: string; readonly signed?: string | undefined }

const refShape = /^(\d{1,5})(?:\.(\d{1,5}))?(?:-\d{1,6})?$/
const longestSigned = 200

const valuesOf = (text: string): readonly string[] | undefined => {
  if (text.startsWith('0')) return [text.slice(1)]
  const bytes = bytesOfBase64url(text.slice(1))
  return bytes && new TextDecoder().decode(bytes).split('\n')
}

/**
 * What links of mails lead to, by what their paths say and the table of their dispatch: the store is not asked. Whatever nobody here has
 * signed leads nowhere.
 */
export const trackedLinks = ({ files, secrets, clock, hitMeter: meter = noHitMeter }: Deps) => {
  const tables: Pick<LinkTables, 'read'> = linkTables({ files, secrets, clock })

  const personal = async ({ token, ref, signed = '' }: LinkPath): Promise<FollowedLink | undefined> => {
    const [, number, shared] = refShape.exec(ref) ?? []
    const read = signed.length <= longestSigned ? readPersonalLink(secrets, token, ref, signed) : undefined
    const values = read && valuesOf(read.values)
    if (!values || shared !== undefined) return undefined
    const entry = (await tables.read(read.mail.table))?.links[Number(number) - 1]
    const target = entry && targetOf(entry.to, values)
    return target === undefined
      ? undefined
      : { mail: read.mail, link: Number(number), target: withAsciiHost(target), block: entry?.block }
  }

  const common = async ({ token, ref }: LinkPath): Promise<FollowedLink | undefined> => {
    const [, number, shared] = refShape.exec(ref) ?? []
    const mail = number === undefined ? undefined : readMailToken(secrets, token)
    if (!mail) return undefined
    const link = Number(number)
    if (link === trapLink) return { mail, link }
    const entry = (await tables.read(mail.table))?.links[link - 1]
    const text = shared === undefined ? entry && targetOf(entry.to, []) : entry?.shared?.[Number(shared) - 1]
    const target = text === undefined ? undefined : webTarget(text)
    return target === undefined ? undefined : { mail, link, target: withAsciiHost(target), block: entry?.block }
  }

  return {
    /** The mail whose image is asked for by that token; undefined for every other text. */
    opened: (token: string): TrackedMail | undefined => {
      const mail = readMailToken(secrets, token)
      if (!mail) meter.refused()
      return mail
    },

    /** @throws what the files do */
    followed: async (path: LinkPath): Promise<FollowedLink | undefined> => {
      try {
        const link = await (path.signed === undefined ? common(path) : personal(path))
        if (!link) meter.refused()
        return link
      } catch (error) {
        meter.unavailable()
        throw error
      }
    },
  }
}
export type TrackedLinks = ReturnType<typeof trackedLinks>
