import { bytesOfBase64url } from '../kernel/encoding.js'
import type { Clock, Files, Secrets } from '../kernel/ports.js'
import { webLinkTarget, withAsciiHost } from '../mail/link-places.js'
import { type LinkTables, linkTables } from '../mail/link-tables.js'
import { type BlockOfLink, filledLinkTarget, trapLinkNumber } from '../mail/link-tracking.js'
import { readMailToken, readPersonalisedLink, type TrackedMailIds } from '../tokens/tracking-token.js'
import { type HitMeter, noHitMeter } from './hit-ports.js'

type Deps = {
  readonly files: Pick<Files, 'get' | 'put'>
  readonly secrets: Pick<Secrets, 'sign' | 'digest' | 'verifiesShort'>
  readonly clock: Clock
  readonly hitMeter?: HitMeter | undefined
}

/** Without a target, the invisible trap link. */
export type FollowedLink = {
  readonly mail: TrackedMailIds
  readonly link: number
  /** http or https. */
  readonly target?: string
  readonly block?: BlockOfLink | undefined
}

/** After `/c/`: two parts for a link that all mails share, three for a link with its own values. */
type LinkPath = { readonly token: string; readonly ref: string; readonly signed?: string | undefined }

const refShape = /^(\d{1,5})(?:\.(\d{1,5}))?(?:-\d{1,6})?$/
const longestSigned = 200

const valuesOf = (text: string): readonly string[] | undefined => {
  if (text.startsWith('0')) return [text.slice(1)]
  const bytes = bytesOfBase64url(text.slice(1))
  return bytes && new TextDecoder().decode(bytes).split('\n')
}

/** Resolves signed links from their path and link table, without the database. */
export const linkResolver = ({ files, secrets, clock, hitMeter: meter = noHitMeter }: Deps) => {
  const tables: Pick<LinkTables, 'read'> = linkTables({ files, secrets, clock })

  const personal = async ({ token, ref, signed = '' }: LinkPath): Promise<FollowedLink | undefined> => {
    const [, number, shared] = refShape.exec(ref) ?? []
    const read = signed.length <= longestSigned ? readPersonalisedLink(secrets, token, ref, signed) : undefined
    const values = read && valuesOf(read.values)
    if (!values || shared !== undefined) return undefined
    const entry = (await tables.read(read.mail.table))?.links[Number(number) - 1]
    const target = entry && filledLinkTarget(entry.to, values)
    return target === undefined
      ? undefined
      : { mail: read.mail, link: Number(number), target: withAsciiHost(target), block: entry?.block }
  }

  const common = async ({ token, ref }: LinkPath): Promise<FollowedLink | undefined> => {
    const [, number, shared] = refShape.exec(ref) ?? []
    const mail = number === undefined ? undefined : readMailToken(secrets, token)
    if (!mail) return undefined
    const link = Number(number)
    if (link === trapLinkNumber) return { mail, link }
    const entry = (await tables.read(mail.table))?.links[link - 1]
    const text = shared === undefined ? entry && filledLinkTarget(entry.to, []) : entry?.shared?.[Number(shared) - 1]
    const target = text === undefined ? undefined : webLinkTarget(text)
    return target === undefined ? undefined : { mail, link, target: withAsciiHost(target), block: entry?.block }
  }

  return {
    /** Undefined if the token is invalid. */
    findMail: (token: string): TrackedMailIds | undefined => {
      const mail = readMailToken(secrets, token)
      if (!mail) meter.refused()
      return mail
    },

    /** @throws file store errors */
    findLink: async (path: LinkPath): Promise<FollowedLink | undefined> => {
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
