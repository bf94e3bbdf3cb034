import { readFileSync } from 'node:fs'

const readTemplate = (name: string): string =>
  readFileSync(new URL(`../../cloudformation/${name}`, import.meta.url), 'utf8')

/**
 * The CloudFormation template of the role by which a project lets the server into its own account, with the parameters `AccountId` and
 * `ExternalId`, and of what tells the server of the events of its mails, with `ConfigurationSet` and `EventsUrl`. It lies beside the sources, as `cloudformation/sending-role.json`.
 */
export const sendingRoleTemplate = (): string => readTemplate('sending-role.json')

/**
 * The same of what tells the server of the events of mails, for accounts that are entered by a key, and for further regions: a
 * configuration set and a topic of the name `ConfigurationSet`, subscribed by `EventsUrl`.
 */
export const sendingEventsTemplate = (): string => readTemplate('sending-events.json')
