import { createCore, type Scope, type TemplateFields } from '@posthorn/core'
import { collected } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { sampleImages } from '../../../../tests/corpora/images.js'

const query = { limit: 30, skip: 0 }
const document = { tagName: 'mjml', children: [{ tagName: 'mj-text', content: 'Hello {{contact.name}}' }] }

const start = async () => {
  const { ports, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, project, account } = await sampleProject(core)
  const template = (name: string, onProjectCreation?: TemplateFields['onProjectCreation']) =>
    core.templates.create(scope, {
      ...{ name, subject: `On ${name}`, previewText: 'First', document, tags: ['start'] },
      ...(onProjectCreation !== undefined && { onProjectCreation }),
    })
  const begun = async (from: string | undefined = project._id): Promise<Scope> => {
    const made = await core.projects.create({ accountId: account._id, name: 'Second', from })
    return { projectId: made._id, caller: 'api-key' }
  }
  const emailsOf = async (at: Scope) => ({
    transactional: (await core.transactionalEmails.list(at, query)).items,
    triggered: (await core.triggeredEmails.list(at, query)).items,
    campaigns: (await core.campaigns.list(at, query)).items,
    lists: (await core.subscriberLists.list(at, query)).items,
  })
  return { core, ports, mailer, scope, project, account, template, begun, emailsOf }
}

describe('a project created from another', () => {
  it('has its templates, and an email for each that requests one', async () => {
    const { core, template, begun, emailsOf } = await start()
    await template('nothing')
    await template('receipt', 'set-as-transactional')
    await template('welcome', 'set-as-triggered')
    await template('news', 'set-as-campaign')
    const at = await begun()
    const templates = (await core.templates.list(at, { ...query, sort: 'name', order: 'asc' })).items
    expect(templates.map(({ name, onProjectCreation }) => [name, onProjectCreation])).toEqual([
      ['news', 'set-as-campaign'],
      ['nothing', 'do-nothing'],
      ['receipt', 'set-as-transactional'],
      ['welcome', 'set-as-triggered'],
    ])
    const { transactional, triggered, campaigns, lists } = await emailsOf(at)
    expect(lists.map(({ name }) => name)).toEqual(['Subscribers'])
    const subscriberListId = lists[0]?._id
    const like = { previewText: 'First', type: 'visual', document, feeds: [] }
    expect(transactional).toMatchObject([{ ...like, name: 'receipt', subject: 'On receipt' }])
    expect(triggered).toMatchObject([{ ...like, name: 'welcome', subscriberListId, excludeUnengaged: false }])
    expect(campaigns).toMatchObject([{ ...like, name: 'news', status: 'draft', timeZone: 'UTC', subscriberListId }])
  })

  it('has its design, and changes independently', async () => {
    const { core, scope, project, template, begun } = await start()
    const { _id } = await template('news')
    const overrides = [{ category: 'variables' as const, key: 'colors', name: 'primary', value: '#123456' }]
    await core.designSystems.update(scope, project.designSystemId, { setOverrides: overrides })
    const at = await begun()
    const [design] = (await core.designSystems.list(at, { ...query, sort: 'updatedAt', order: 'desc' })).items
    const primary = expect.objectContaining({ name: 'primary', value: '#123456', overridden: true })
    expect(design?.variables.colors).toContainEqual(primary)
    await core.templates.update(scope, _id, { name: 'changed' })
    expect((await core.templates.list(at, query)).items[0]?.name).toBe('news')
  })

  it('can send its copied emails', async () => {
    const { core, template, begun, emailsOf, mailer } = await start()
    await template('receipt', 'set-as-transactional')
    const at = await begun()
    await core.senderIdentities.create(
      { ...at, caller: 'operator' },
      { email: 'shop@example.com', region: 'eu-west-1' },
    )
    const [mail] = (await emailsOf(at)).transactional
    await core.sends.transactional(at, { email: 'ada@example.com', transactionalId: mail?._id ?? '' })
    await core.worker.runUntilIdle()
    expect(mailer.sent.map(({ to }) => to)).toEqual(['ada@example.com'])
  })

  it('keeps its images if the original is removed', async () => {
    const { core, scope, project, begun, ports } = await start()
    const image = await core.galleryImages.upload(scope, {
      image: { filename: 'logo.png', contentType: 'image/png', bytes: sampleImages['image/png'] },
    })
    const fileOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)
    const content = {
      tagName: 'mjml',
      children: [{ tagName: 'mj-image', attributes: { src: image.url, alt: 'gallery/x' } }],
    }
    await core.templates.create(scope, {
      ...{ name: 'news', subject: 'S', document: content, onProjectCreation: 'set-as-campaign' },
    })
    const overrides = [{ category: 'variables' as const, key: 'images', name: 'logo', value: image.url }]
    await core.designSystems.update(scope, project.designSystemId, { setOverrides: overrides })
    const at = await begun()
    await core.galleryImages.remove(scope, image._id)
    const [copy, ...others] = (await core.galleryImages.list(at, query)).items
    expect(others).toEqual([])
    expect(copy).toMatchObject({ name: 'logo.png', parentFolderId: null })
    expect(copy?.url).not.toBe(image.url)
    expect((await core.galleryImages.served(fileOf(copy?.url ?? ''))).bytes).toEqual(sampleImages['image/png'])
    const [draft] = (await core.campaigns.list(at, query)).items
    expect(JSON.stringify(draft?.document)).toBe(JSON.stringify(content).replace(image.url, copy?.url ?? ''))
    const [template] = await collected(ports.repositories.templates.each({ projectId: at.projectId }))
    expect(template?.document).toEqual(draft?.document)
    const [design] = (await core.designSystems.list(at, { ...query, sort: 'updatedAt', order: 'desc' })).items
    expect(design?.variables.images).toContainEqual(expect.objectContaining({ name: 'logo', value: copy?.url }))
  })

  it('has no list if no email needs one', async () => {
    const { template, begun, emailsOf } = await start()
    await template('receipt', 'set-as-transactional')
    expect((await emailsOf(await begun())).lists).toEqual([])
  })

  it('copies only from a project of the same account', async () => {
    const { core, begun } = await start()
    const stranger = await sampleProject(core, { name: 'Stranger' })
    await expect(begun(stranger.project._id)).rejects.toThrow('Project not found')
    await expect(begun('f'.repeat(24))).rejects.toThrow('Project not found')
  })

  it('does not exist after a crash in between', async () => {
    const { ports, account, project, template, core } = await start()
    await template('receipt', 'set-as-transactional')
    const { transactionalEmails } = ports.repositories
    const dying = createCore({
      ...ports,
      repositories: {
        ...ports.repositories,
        transactionalEmails: { ...transactionalEmails, add: async () => Promise.reject(new Error('Killed')) },
      },
    })
    const made = dying.projects.create({ accountId: account._id, name: 'Second', from: project._id })
    await expect(made).rejects.toThrow('Killed')
    expect((await core.projects.all()).map(({ name }) => name)).toEqual(['Sample'])
  })
})

describe('a project created from none', () => {
  it('is empty', async () => {
    const { core, account, template, emailsOf } = await start()
    await template('receipt', 'set-as-transactional')
    const { _id: projectId } = await core.projects.create({ accountId: account._id, name: 'Bare' })
    const at: Scope = { projectId, caller: 'api-key' }
    expect(await emailsOf(at)).toEqual({ transactional: [], triggered: [], campaigns: [], lists: [] })
    expect((await core.templates.list(at, query)).count).toBe(0)
  })
})
