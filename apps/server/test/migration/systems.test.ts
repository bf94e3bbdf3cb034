import { afterAll, describe, expect, it } from 'vitest'
import { exportPlace, startProject } from './migrations.js'

const place = exportPlace()
afterAll(() => place.remove())

describe('an export of Mailchimp', () => {
  it('keeps opt-in and confirmation with time and address, and when somebody left', async () => {
    const { migrate, subscriptions } = await startProject()
    await migrate('mailchimp', place.copy('mailchimp'))
    expect(await subscriptions('ada@example.com')).toEqual({
      Mailchimp: {
        status: 'active',
        joinedAt: '2021-03-04T10:11:12.000Z',
        changedAt: '2021-03-04T10:12:00.000Z',
        consent:
          'Mailchimp: subscribed, opted in on 2021-03-04 10:11:12 from 203.0.113.7, confirmed on 2021-03-04 10:12:00 from 203.0.113.7',
      },
    })
    expect(await subscriptions('left@example.com')).toMatchObject({
      Mailchimp: {
        status: 'unsubscribed',
        joinedAt: '2020-01-02T03:04:05.000Z',
        changedAt: '2022-02-03T04:05:06.000Z',
        consent: expect.stringMatching(/unsubscribed on 2022-02-03 04:05:06, because: NORMAL$/),
      },
    })
  })

  it('keeps cleaned members as bounced contacts, and all tags of a cell', async () => {
    const { migrate, contact, suppressions } = await startProject()
    await migrate('mailchimp', place.copy('mailchimp'))
    expect(await suppressions()).toEqual({ 'gone@example.com': 'bounce' })
    expect(await contact('gone@example.com')).toMatchObject({ name: 'Gus Gone' })
    expect(await contact('ada@example.com')).toMatchObject({
      tags: ['customer', 'fair, may'],
      firstName: 'Ada',
      shoeSize: 38,
    })
    expect(await contact('bob@example.com')).toMatchObject({
      lastName: 'O\'Neil "the" Great',
      notes: 'Line one\nline two',
    })
  })

  it('puts nonsubscribed contacts on no list', async () => {
    const { migrate, contact } = await startProject()
    const table = 'Email Address,OPTIN_TIME\nshop@example.com,\n'
    await migrate('mailchimp', place.write({ 'nonsubscribed_members_export_1.csv': table }), { listName: 'News' })
    expect(await contact('shop@example.com')).toMatchObject({ _lists: [] })
  })

  it('makes drafts of campaigns of templates that translate as a whole', async () => {
    const { migrate, campaigns } = await startProject()
    await migrate('mailchimp', place.copy('mailchimp'))
    expect((await campaigns()).map(({ name, subject, status, type }) => [name, subject, status, type])).toEqual([
      ['Welcome', 'Hello {{contact.firstName}}', 'draft', 'html'],
    ])
  })
})

describe('an export of SendGrid', () => {
  it('suppresses bounces, complaints and global unsubscribes, but no blocks', async () => {
    const { migrate, suppressions, contact } = await startProject()
    const { value } = await migrate('sendgrid', place.copy('sendgrid'))
    expect(await suppressions()).toEqual({
      'gone@example.com': 'bounce',
      'spam@example.com': 'complaint',
      'left@example.com': 'unsubscribed at SendGrid on 2021-03-04T10:11:12.000Z',
    })
    expect(value.leftOut).toEqual([{ what: 'blocks, which are temporary', count: 1 }])
    expect(await contact('ada@example.com')).toMatchObject({ name: 'Ada Lovelace', postalCode: '01099', plan: 'pro' })
  })

  it('keeps who left a group off the list', async () => {
    const { migrate, subscriptions } = await startProject()
    await migrate('sendgrid', place.copy('sendgrid'))
    expect(await subscriptions('bob@example.com')).toMatchObject({
      SendGrid: { status: 'unsubscribed', consent: 'SendGrid: unsubscribed from the group News' },
    })
  })

  it('puts contacts in JSON on the lists of lists.json', async () => {
    const { migrate, subscriptions, contact } = await startProject()
    const contacts = [
      {
        email: 'ada@example.com',
        first_name: 'Ada',
        list_ids: ['l2', 'gone'],
        custom_fields: { plan: 'pro', age: 36 },
      },
      { email: 'bob@example.com', list_ids: [] },
    ]
    const path = place.write({
      'lists.json': JSON.stringify({
        result: [
          { id: 'l1', name: 'One', contact_count: 0 },
          { id: 'l2', name: 'Two', contact_count: 1 },
        ],
      }),
      'contacts.ndjson': contacts.map((one) => JSON.stringify(one)).join('\n'),
    })
    const { value } = await migrate('sendgrid', path)
    expect(value.lists.map(({ name, active }) => [name, active])).toEqual([
      ['One', 0],
      ['Two', 1],
    ])
    expect(Object.keys(await subscriptions('ada@example.com'))).toEqual(['Two'])
    expect(await subscriptions('bob@example.com')).toEqual({})
    expect(await contact('ada@example.com')).toMatchObject({ plan: 'pro', age: 36 })
  })

  it('takes the active version of a dynamic template, and refuses legacy ones', async () => {
    const { migrate, transactional } = await startProject()
    const { value } = await migrate('sendgrid', place.copy('sendgrid'))
    expect((await transactional()).map(({ name, subject, document }) => [name, subject, document])).toEqual([
      [
        'Order',
        'Order {{order.id}}',
        '<p>Hi {{DEFAULT name "friend"}},</p>\n{{#if (EQ plan "pro")}}thanks{{else}}upgrade{{/if}}\n{{#each items}}<li>{{this.name}}</li>{{/each}}',
      ],
    ])
    const problems = Object.fromEntries(
      value.templates.map((one) => [one.name, one.problems.map(({ construct, reason }) => construct ?? reason)]),
    )
    expect(problems).toEqual({
      News: ['{{formatDate now "MMM"}}', '{{{weblink}}}'],
      Old: ['It is a legacy template with substitution tags, and not a dynamic template.'],
      Order: [],
    })
  })

  it('with a file that is neither JSON nor NDJSON says what was expected', async () => {
    const { migrate } = await startProject()
    await expect(migrate('sendgrid', place.write({ 'contacts.json': 'EMAIL,x\n' }))).rejects.toThrow(
      'contacts.json is not JSON: expected one object, a list of them, or one in each line.',
    )
  })
})

describe('an export of Mailjet', () => {
  it('has a list in each file, and excluded addresses', async () => {
    const { migrate, subscriptions, suppressions, contact, triggered } = await startProject()
    await migrate('mailjet', place.copy('mailjet'))
    expect(await subscriptions('ada@example.com')).toMatchObject({ Newsletter: { status: 'active' } })
    expect(await subscriptions('left@example.com')).toMatchObject({
      Newsletter: { status: 'unsubscribed', changedAt: '2022-02-03T04:05:06.000Z' },
    })
    expect(await suppressions()).toEqual({ 'blocked@example.com': 'unsubscribed at Mailjet' })
    expect(await contact('ada@example.com')).toMatchObject({ name: 'Ada Lovelace', country: 'GB' })
    expect((await triggered()).map(({ name, subject, document }) => [name, subject, document])).toEqual([
      [
        'welcome',
        'Welcome {{name}}',
        '<p>Hello {{DEFAULT contact.firstName "friend"}},</p>\n{{#if (EQ plan "pro")}}thanks{{else}}upgrade to {{DEFAULT next_plan "pro"}}{{/if}}\n<a href="{{unsubscribeLink}}">Unsubscribe</a>',
      ],
    ])
  })
})

describe('an export of Keila', () => {
  it('has nested data, and unreachable contacts as bounced', async () => {
    const { migrate, contact, subscriptions, suppressions } = await startProject()
    await migrate('keila', place.copy('keila'))
    expect(await contact('active@example.com')).toMatchObject({
      name: 'Foo Bar',
      tags: ['rocket-scientist'],
      marketingConsent: true,
      age: 34,
      birthplace: 'Paris',
      externalId: 'k-1',
    })
    expect(await subscriptions('unsubscribed@example.com')).toMatchObject({ Keila: { status: 'unsubscribed' } })
    expect(await subscriptions('empty@example.com')).toMatchObject({ Keila: { status: 'active' } })
    expect(await suppressions()).toEqual({ 'unreachable@example.com': 'bounce' })
  })

  it('keeps campaigns of one subject apart, and tags that a contact has already', async () => {
    const { migrate, campaigns, contact, core, scope } = await startProject()
    await core.contacts.create(scope, { email: 'ada@example.com', tags: ['vip'] })
    const campaign = { subject: 'News', text_body: 'Hi', settings: { type: 'text' } }
    const path = place.write({
      'campaigns.json': JSON.stringify({ data: [campaign, campaign] }),
      'contacts.json': '{"data":[{"email":"ada@example.com","data":{"tags":["fair"]}}]}',
    })
    await migrate('keila', path)
    await migrate('keila', path)
    expect((await campaigns()).map(({ name }) => name).sort()).toEqual(['News', 'News (2)'])
    expect(await contact('ada@example.com')).toMatchObject({ tags: ['vip', 'fair'] })
  })

  it('has text campaigns that become drafts', async () => {
    const { migrate, campaigns } = await startProject()
    await migrate('keila', place.copy('keila'))
    expect((await campaigns()).map(({ subject, document, type }) => [subject, document, type])).toEqual([
      [
        'Hello {{DEFAULT contact.firstName "friend"}}',
        '{{#if (EQ contact.birthplace "Paris")}}Bonjour{{else if contact.lastName}}Hello {{contact.lastName}}{{else}}Hello{{/if}}\n{{unsubscribeLink}}',
        'text',
      ],
    ])
  })
})
