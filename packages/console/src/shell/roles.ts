import type { Messages } from '../text/en.js'

/** From the most to the least powerful, as the server has them. */
export const roles = ['owner', 'manager', 'sender', 'writer', 'support', 'analyst'] as const
export type Role = (typeof roles)[number]

const labels: Readonly<Record<string, keyof Messages>> = {
  owner: 'roleOwner',
  manager: 'roleManager',
  writer: 'roleWriter',
  sender: 'roleSender',
  analyst: 'roleAnalyst',
  support: 'roleSupport',
  operator: 'roleOperator',
}
export const roleLabel = (role: string): keyof Messages => labels[role] ?? 'roleOther'

export const roleTexts: Readonly<Record<Role, keyof Messages>> = {
  owner: 'roleOwnerText',
  manager: 'roleManagerText',
  sender: 'roleSenderText',
  writer: 'roleWriterText',
  support: 'roleSupportText',
  analyst: 'roleAnalystText',
}
