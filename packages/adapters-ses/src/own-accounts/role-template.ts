import { readFileSync } from 'node:fs'

/**
 * The CloudFormation template of the role by which a project lets the server into its own account, with the parameters `AccountId` and
 * `ExternalId`. It lies beside the sources, as `cloudformation/sending-role.json`.
 */
export const sendingRoleTemplate = (): string =>
  readFileSync(new URL('../../cloudformation/sending-role.json', import.meta.url), 'utf8')
