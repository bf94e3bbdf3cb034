import { readFileSync } from 'node:fs'

const readTemplate = (name: string): string =>
  readFileSync(new URL(`../../cloudformation/${name}`, import.meta.url), 'utf8')

/**
 * The CloudFormation template of the role by which a project gives the server access to its own account (parameters `AccountId` and
 * `ExternalId`), and of the events' topic (parameters `ConfigurationSet` and `EventsUrl`). Source: `cloudformation/sending-role.json`.
 */
export const sendingRoleTemplate = (): string => readTemplate('sending-role.json')

/**
 * The CloudFormation template of the events alone, for accounts accessed by a key, and for further regions: a configuration set and a topic
 * named `ConfigurationSet`, subscribed by `EventsUrl`.
 */
export const sendingEventsTemplate = (): string => readTemplate('sending-events.json')
