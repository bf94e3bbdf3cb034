import { readFileSync } from 'node:fs'

const readTemplate = (name: string): string =>
  readFileSync(new URL(`../../cloudformation/${name}`, import.meta.url), 'utf8')

/**
 * CloudFormation template of the role (parameters `AccountId`, `ExternalId`) and the events' topic (`ConfigurationSet`,
 * `EventsUrl`).
 */
export const sendingRoleTemplate = (): string => readTemplate('sending-role.json')

/** CloudFormation template of the events alone: for accounts accessed by a key, and for further regions. */
export const sendingEventsTemplate = (): string => readTemplate('sending-events.json')
