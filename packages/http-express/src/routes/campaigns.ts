import { CampaignChanges, CampaignFields, CampaignView } from '@posthorn/core/ports/transport'
import { everyVerb, resourceRoutes } from '../resource-routes.js'

export const campaignRoutes = resourceRoutes({
  noun: 'Campaign',
  plural: 'Campaigns',
  called: 'campaign',
  path: 'campaigns',
  view: CampaignView,
  fields: CampaignFields,
  changes: CampaignChanges,
  fails: {
    create: ['not-found', 'blocked'],
    update: ['blocked'],
    remove: ['invalid', 'blocked'],
  },
  verbs: everyVerb,
  of: (core) => core.campaigns,
})
