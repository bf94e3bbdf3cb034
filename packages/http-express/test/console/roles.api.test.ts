import { type Permission, permissions, type Role, rolePermissions, roles } from '@posthorn/core/ports/transport'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleApiRoutes } from '../../src/console/rows.js'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser, consoleBrowser, password, tokenIn } from './browser.js'

/** Every row of a project by what a person needs for it: a new row has to be added here. */
const needed: Readonly<Record<Permission, string>> = {
  'project.read': `listCampaigns getCampaign previewCampaignAudience getCampaignProgress listTriggeredEmails getTriggeredEmail listTransactionalEmails
    getTransactionalEmail listTemplates getTemplate getTemplateDocument listCustomFields listContactTags getContactTag listSubscriberLists
    getSubscriberList listSegments getSegment listSignupForms getSignupForm getSignupFormEmbed previewSignupForm listSenderIdentities
    listRegions listDomains getDomain exportDomainDns listDesignSystems listGalleryFolders getGalleryFolder
    listGalleryImages getGalleryImage listGalleryImageUses listSavedViews createSavedView renameSavedView deleteSavedView getNotices changeNotices getProject getProductionAccess listImports getImport
    listBrowserCalls getRetention`,
  'figures.read': `getCampaignReport getCampaignReportLink listCampaignResults previewRetry getCampaignStats getTriggeredEmailStats
    getTransactionalEmailStats getSendStats getSubscriberListStats getSignupFormFigures getSandboxDeliverability getProductionDeliverability getOverview getMailboxProviders`,
  'addresses.read': `listContacts getContact listSuppressions listSubscribers getSubscriber listPublicLists
    listCampaignExclusions previewCampaignExclusions listCampaignRecipients listTriggeredEmailRecipients listTransactionalEmailRecipients listSendRecipients
    listEmailErrorLogs listWebhookLog getWebhookLogEntry listWebhookEndpointLog
    getWebhookEndpointLogEntry listMailHistories getMailHistory listSubscriptions renderPreview previewDocument searchMails`,
  'addresses.export': 'exportCampaignRecipients exportContacts exportMails',
  'content.edit': `createCampaign updateCampaign deleteCampaign createTriggeredEmail updateTriggeredEmail
    deleteTriggeredEmail createTransactionalEmail updateTransactionalEmail deleteTransactionalEmail createTemplate
    updateTemplate deleteTemplate createCustomField deleteCustomField createContactTag updateContactTag deleteContactTag
    createSubscriberList updateSubscriberList deleteSubscriberList createSegment updateSegment deleteSegment
    createSignupForm updateSignupForm deleteSignupForm updateDesignSystem createGalleryFolder updateGalleryFolder
    deleteGalleryFolder uploadGalleryImage moveGalleryImage updateGalleryImage deleteGalleryImage`,
  'contacts.edit': `createContact updateContact deleteContact subscribe updateSubscriber resendVerificationEmail
    actOnContacts bulkContacts bulkSubscribe uploadImport previewImport startImport cancelImport
    listFailedImportRows exportImportErrors`,
  'suppressions.edit': 'createSuppression deleteSuppression liftSuppression',
  'emails.test': 'sendTestEmail testTemplate',
  'emails.send':
    'stopCampaign continueCampaign retryFailedMails sendMail cancelSend sendTransactional sendBatch sendTriggered',
  'settings.edit': `updateProject applyForProductionAccess requestLimitIncrease checkCloud getSetupLink createDomain
    updateDomain deleteDomain checkDomain createSenderIdentity setDefaultSenderIdentity deleteSenderIdentity getWebhook
    setWebhook deleteWebhook testWebhook createWebhook listWebhooks getWebhookEndpoint updateWebhook deleteWebhookEndpoint
      testWebhookEndpoint replayWebhookEndpointEvents enableWebhook replayWebhookEvents listApiKeys listRepeatedRequests createApiKey revokeApiKey`,
  'people.edit': 'listPeople invitePerson cancelInvitation updateMember removeMember',
  'audit.read': 'listAuditEntries',
  'owners.edit': '',
}

const idsOf = (text: string) => text.split(/\s+/).filter((id) => id !== '')
const ofProject = consoleApiRoutes.filter(({ path }) => path.includes('{projectId}'))

describe('the rows of a project', () => {
  it('each need the permission of the table', () => {
    const table = Object.entries(needed).flatMap(([permission, ids]) => idsOf(ids).map((id) => `${id}: ${permission}`))
    expect(ofProject.map(({ id, permission }) => `${id}: ${permission}`).sort()).toEqual(table.sort())
  })

  it('are all below the console, for persons only', () => {
    expect(ofProject.every(({ path, auth }) => path.startsWith('/console/api/') && auth === 'person')).toBe(true)
  })
})

describe('every role against every row', () => {
  let world: World
  const browsers = new Map<Role, ConsoleBrowser>()

  beforeAll(async () => {
    world = await aWorld()
    const owner = await anOwner(world)
    const { _id: projectId } = world.project.project
    for (const role of roles) {
      const within = role === 'owner' ? 'account' : 'project'
      const email = `${role}@example.com`
      const invited = await owner.call<{ link: string }>('POST', `/projectId/${projectId}/people/invitations`, {
        email,
        role,
        within,
        password,
      })
      const browser = consoleBrowser(world.client.base)
      const accepted = { token: tokenIn(invited.result.link), name: role, password }
      await browser.call('POST', '/invitations/accept', accepted)
      browsers.set(role, browser)
    }
  })
  afterAll(() => world.client.close())

  it.each(roles)('%s reaches exactly the rows that the role permits', async (role) => {
    const granted: readonly Permission[] = rolePermissions[role]
    const wrong: string[] = []
    // Rows that end the test's own memberships come last.
    const rows = [...ofProject].sort((a, b) => Number(a.id === 'removeMember') - Number(b.id === 'removeMember'))
    for (const { id, method, path, permission } of rows) {
      const at = path
        .slice('/console/api'.length)
        .replace('{projectId}', world.project.project._id)
        .replace(/\{\w+\}/g, 'none')
      const seen = await browsers
        .get(role)
        ?.call(method.toUpperCase(), at, method === 'get' || method === 'delete' ? undefined : {})
      const isRefused = seen?.status === 403 && /role does not include/.test(seen.error?.message ?? '')
      if (isRefused === granted.includes(permission)) wrong.push(`${id}: ${seen?.status} ${seen?.error?.message}`)
    }
    expect(wrong).toEqual([])
  })

  it('never reaches a project of somebody else', async () => {
    const account = await world.core.accounts.create({ name: 'Other' })
    const other = await world.core.projects.create({ accountId: account._id, name: 'Other' })
    for (const role of roles) {
      const seen = await browsers.get(role)?.call('GET', `/projectId/${other._id}/campaigns`)
      expect(seen?.status).toBe(403)
      const unknown = await browsers.get(role)?.call('GET', '/projectId/000000000000000000000000/campaigns')
      expect(unknown?.error).toEqual(seen?.error)
    }
  })

  it('lets a writer write a campaign but not schedule, change or delete a scheduled one', async () => {
    const projectId = world.project.project._id
    const [writer, sender] = [browsers.get('writer'), browsers.get('sender')]
    const fields = {
      name: 'News',
      subject: 'News',
      type: 'html',
      document: '<p>Hello</p>',
      timeZone: 'UTC',
      subscriberListId: world.project.list._id,
    }
    const made = await writer?.call<{ _id: string }>('POST', `/projectId/${projectId}/campaigns`, fields)
    expect(made?.status).toBe(201)
    const at = `/projectId/${projectId}/campaigns/${made?.result._id}`
    const later = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
    const schedule = { status: 'scheduled', scheduledTo: later }
    expect((await writer?.call('PATCH', at, schedule))?.status).toBe(403)
    expect((await writer?.call('POST', `/projectId/${projectId}/campaigns`, { ...fields, ...schedule }))?.status).toBe(
      403,
    )
    const list = await world.core.subscriberLists.create(world.project.scope, { name: 'Team', private: true })
    const test = [`/projectId/${projectId}/test-email/${made?.result._id}`, { type: 'campaign' }] as const
    const toList = { ...test[1], subscriberListId: list._id }
    expect((await writer?.call('POST', test[0], { ...test[1], email: 'writer@example.com' }))?.status).toBe(200)
    expect((await writer?.call('POST', test[0], toList))?.status).toBe(403)
    expect((await sender?.call('POST', test[0], toList))?.status).toBe(200)
    expect((await sender?.call('PATCH', at, schedule))?.error).toBeUndefined()
    expect((await writer?.call('PATCH', at, { subject: 'Other' }))?.status).toBe(403)
    expect((await writer?.call('PATCH', at, { status: 'draft' }))?.status).toBe(403)
    expect((await writer?.call('DELETE', at))?.status).toBe(403)
    expect((await sender?.call('PATCH', at, { status: 'draft' }))?.status).toBe(200)
    expect((await writer?.call('PATCH', at, { subject: 'Other' }))?.status).toBe(200)
  })
})

/** What each role may do: to widen a role, this table has to change, too. */
const permitted: Readonly<Record<Role, string>> = {
  owner: `project.read figures.read addresses.read addresses.export content.edit contacts.edit suppressions.edit
    emails.test emails.send settings.edit people.edit audit.read owners.edit`,
  manager: `project.read figures.read addresses.read addresses.export content.edit contacts.edit suppressions.edit
    emails.test emails.send settings.edit people.edit audit.read`,
  sender: 'project.read figures.read addresses.read content.edit contacts.edit emails.test emails.send',
  writer: 'project.read figures.read addresses.read content.edit contacts.edit emails.test',
  support: 'project.read figures.read addresses.read suppressions.edit',
  analyst: 'project.read figures.read',
}

describe('the table of roles', () => {
  it.each(roles)('gives a %s this, and no more', (role) => {
    expect([...rolePermissions[role]].sort()).toEqual(idsOf(permitted[role]).sort())
  })

  it('lists each permission once and gives all to owners', () => {
    expect(rolePermissions.owner).toEqual(permissions)
    expect(Object.keys(rolePermissions).sort()).toEqual([...roles].sort())
  })
})
