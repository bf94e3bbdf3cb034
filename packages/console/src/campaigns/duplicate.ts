import { call } from '../api/client.js'
import type { Campaign } from '../api/types.js'
import { withoutIsolates } from '../text/filled.js'

/** A draft with the same content and audience. */
export const duplicateCampaign = (
  projectId: string,
  campaign: Omit<Campaign, 'document'> & { readonly document?: unknown },
  name: string,
): Promise<Campaign> => {
  const { subject, previewText, senderIdentity, replyTo, type, document, feeds, tracking } = campaign
  const { excludeUnengaged, timeZone, subscriberListId, segmentId, unopenedOf } = campaign
  return call(projectId, 'post', '/campaigns', {
    body: {
      name: withoutIsolates(name).slice(0, 200),
      subject,
      type,
      timeZone,
      subscriberListId,
      excludeUnengaged,
      feeds,
      ...(document !== undefined && { document }),
      ...(previewText !== undefined && { previewText }),
      ...(senderIdentity !== undefined && { senderIdentity }),
      ...(replyTo !== undefined && { replyTo }),
      ...(tracking !== undefined && { tracking }),
      ...(segmentId !== undefined && { segmentId }),
      ...(unopenedOf !== undefined && { unopenedOf }),
    },
  })
}

/** As a draft, for those who neither opened nor clicked. */
export const duplicateForUnopened = (projectId: string, campaign: Campaign, name: string): Promise<Campaign> => {
  const { segmentId: _, ...rest } = campaign
  return duplicateCampaign(projectId, { ...rest, unopenedOf: campaign._id }, name)
}
