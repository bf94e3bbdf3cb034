import { ownCloudEventsName } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { cloudFormationEventsTemplate, cloudFormationRoleTemplate } from '../../src/index.js'

type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value }
type Template = {
  readonly AWSTemplateFormatVersion: string
  readonly Parameters: Readonly<
    Record<string, { readonly Type: string; readonly AllowedPattern: string; readonly Default?: string }>
  >
  readonly Conditions?: Readonly<Record<string, Value>>
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Condition?: string; readonly Properties: Value }>
  >
  readonly Outputs: Readonly<Record<string, { readonly Value: Value }>>
}

const texts = { role: cloudFormationRoleTemplate(), events: cloudFormationEventsTemplate() }
const role = JSON.parse(texts.role) as Template
const events = JSON.parse(texts.events) as Template

const every = (value: Value, key: string): readonly Value[] =>
  typeof value !== 'object'
    ? []
    : Object.entries(value).flatMap(([name, one]) => [...(name === key ? [one] : []), ...every(one as Value, key)])
const asValue = (part: unknown) => part as Value
const allows = (template: Template, name: string) => new RegExp(`^(?:${template.Parameters[name]?.AllowedPattern})$`)

describe('a CloudFormation template', () => {
  it.each([
    ['role', role],
    ['events', events],
  ] as const)('of the %s has valid sections, types and references', (name, template) => {
    expect(template.AWSTemplateFormatVersion).toBe('2010-09-09')
    const sections = ['AWSTemplateFormatVersion', 'Description', 'Outputs', 'Parameters', 'Resources']
    expect(
      Object.keys(template)
        .filter((one) => one !== 'Conditions')
        .toSorted(),
    ).toEqual(sections)
    const pseudo = ['AWS::Partition', 'AWS::AccountId']
    const known = [...Object.keys(template.Parameters), ...Object.keys(template.Resources), ...pseudo]
    const substituted = every(asValue(template), 'Fn::Sub').flatMap((one) =>
      [...JSON.stringify(one).matchAll(/\$\{([^}]+)\}/g)].map(([, found]) => found),
    )
    const named = [
      ...every(asValue(template), 'Ref'),
      ...every(asValue(template), 'Fn::GetAtt').map((one) => (one as readonly string[])[0]),
      ...every(asValue(template), 'DependsOn'),
      ...substituted,
    ]
    expect(named.length).toBeGreaterThan(3)
    for (const one of named) expect(known).toContain(one)
    const conditions = Object.values(template.Resources).flatMap(({ Condition }) => Condition ?? [])
    expect(Object.keys(template.Conditions ?? {})).toEqual(expect.arrayContaining(conditions))
    expect(Buffer.byteLength(texts[name])).toBeLessThan(51_200)
  })

  it('has the parameters of setup links, and accepts only their values', () => {
    expect(Object.keys(role.Parameters)).toEqual(['AccountId', 'ExternalId', 'ConfigurationSet', 'EventsUrl'])
    expect(Object.keys(events.Parameters)).toEqual(['ConfigurationSet', 'EventsUrl'])
    expect('123456789012').toMatch(allows(role, 'AccountId'))
    expect(Buffer.alloc(24, 7).toString('base64url')).toMatch(allows(role, 'ExternalId'))
    expect('').not.toMatch(allows(role, 'ExternalId'))
    for (const template of [role, events]) {
      expect(ownCloudEventsName('a'.repeat(24))).toMatch(allows(template, 'ConfigurationSet'))
      expect('https://mail.example.com/v1/ses/events').toMatch(allows(template, 'EventsUrl'))
      for (const url of ['http://mail.example.com/v1/ses/events', 'https://mail.example.com/', 'sqs'])
        expect(url).not.toMatch(allows(template, 'EventsUrl'))
      expect('posthorn').not.toMatch(allows(template, 'ConfigurationSet'))
    }
  })
})

describe('the role’s template', () => {
  it('allows only the server’s account with the external id, and only the needed actions', () => {
    const value = asValue(role.Resources.SendingRole)
    const root = 'arn:$' + '{AWS::Partition}:iam::$' + '{AccountId}:root'
    expect(every(value, 'Principal')).toEqual([{ AWS: { 'Fn::Sub': root } }])
    expect(every(value, 'Condition')).toEqual([{ StringEquals: { 'sts:ExternalId': { Ref: 'ExternalId' } } }])
    expect(every(value, 'Action').flat()).toEqual([
      'sts:AssumeRole',
      'ses:SendEmail',
      'ses:SendRawEmail',
      'ses:GetAccount',
      'ses:GetEmailIdentity',
      'ses:GetConfigurationSetEventDestinations',
      'sns:ListSubscriptionsByTopic',
    ])
    const topics = ['arn:$', '{AWS::Partition}:sns:*:$', '{AWS::AccountId}:', ownCloudEventsName('*')].join('')
    expect(every(value, 'Resource')).toEqual(['*', { 'Fn::Sub': topics }])
  })

  it('sets up events like the other template if both parameters are given', () => {
    const { SendingRole: _, ...others } = role.Resources
    const bare = Object.fromEntries(
      Object.entries(others).map(([name, { Condition, ...resource }]) => {
        expect(Condition).toBe('TellsEvents')
        return [name, resource]
      }),
    )
    expect(bare).toEqual(events.Resources)
    const isGiven = (Ref: string) => ({ 'Fn::Not': [{ 'Fn::Equals': [{ Ref }, ''] }] })
    expect(role.Conditions).toEqual({ TellsEvents: { 'Fn::And': [isGiven('ConfigurationSet'), isGiven('EventsUrl')] } })
    for (const name of ['ConfigurationSet', 'EventsUrl']) {
      expect(role.Parameters[name]?.Default).toBe('')
      expect('').toMatch(allows(role, name))
    }
  })
})

describe('the events’ template', () => {
  it('creates a configuration set that publishes to a topic of the same name', () => {
    const { EventsTopic, EventsSet, EventsDestination, EventsSubscription } = events.Resources
    expect(EventsTopic?.Properties).toEqual({ TopicName: { Ref: 'ConfigurationSet' }, SignatureVersion: '2' })
    expect(EventsSet?.Properties).toEqual({ Name: { Ref: 'ConfigurationSet' } })
    expect(EventsDestination?.Properties).toMatchObject({
      ConfigurationSetName: { Ref: 'EventsSet' },
      EventDestination: {
        Enabled: true,
        MatchingEventTypes: ['send', 'bounce', 'complaint', 'reject', 'renderingFailure'],
        SnsDestination: { TopicARN: { Ref: 'EventsTopic' } },
      },
    })
    expect(EventsSubscription?.Properties).toMatchObject({ Protocol: 'https', Endpoint: { Ref: 'EventsUrl' } })
  })

  it('lets only Amazon SES of that account publish', () => {
    const policy = asValue(events.Resources.EventsTopicPolicy)
    expect(every(policy, 'Principal')).toEqual([{ Service: 'ses.amazonaws.com' }])
    expect(every(policy, 'Action')).toEqual(['sns:Publish'])
    expect(every(policy, 'Condition')).toEqual([{ StringEquals: { 'AWS:SourceAccount': { Ref: 'AWS::AccountId' } } }])
  })
})
