import type { Messages } from '../text/en.js'
import type { Say } from '../text/text.js'

/** `updateCampaign` as `update campaign`. */
const wordsOf = (action: string): string => action.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()

/** The operation in English, as the API names it: `updateCampaign` as "Update campaign". */
export const actionText = (action: string): string => {
  const words = wordsOf(action)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const acts: Readonly<Record<string, keyof Messages>> = {
  accept: 'actAccepted',
  add: 'actCreated',
  apply: 'actRequested',
  begin: 'actStarted',
  approve: 'actAccepted',
  bulk: 'actChanged',
  cancel: 'actCancelled',
  change: 'actChanged',
  check: 'actChecked',
  continue: 'actContinued',
  create: 'actCreated',
  decline: 'opActDeclined',
  delete: 'actDeleted',
  enable: 'actEnabled',
  end: 'actStopped',
  invite: 'actCreated',
  lift: 'actDeleted',
  move: 'actChanged',
  remove: 'actDeleted',
  replay: 'actRepeated',
  request: 'actRequested',
  resend: 'actSent',
  restrict: 'opActRestricted',
  retry: 'actRepeated',
  revoke: 'actRevoked',
  send: 'actSent',
  set: 'actChanged',
  start: 'actStarted',
  stop: 'actStopped',
  subscribe: 'actCreated',
  test: 'actChecked',
  unrestrict: 'opActUnrestricted',
  update: 'actChanged',
  upload: 'actCreated',
}

/** The first whose words are among the action's: longer ones precede their parts. */
const nouns: readonly (readonly [words: string, noun: keyof Messages])[] = [
  ['api key', 'apiKey'],
  ['contact tag', 'tag'],
  ['custom field', 'field'],
  ['subscriber list', 'list'],
  ['sender identity', 'sender'],
  ['design system', 'designSystem'],
  ['signup form', 'signupForm'],
  ['production access', 'productionAccess'],
  ['limit increase', 'opLimit'],
  ['monthly limit', 'opLimit'],
  ['credit', 'creditLeft'],
  ['read only view', 'viewNoun'],
  ['invite person', 'invitation'],
  ['test email', 'stepTest'],
  ['triggered', 'triggeredEmail'],
  ['transactional', 'transactionalEmail'],
  ['bulk subscribe', 'subscribers'],
  ['campaign', 'campaign'],
  ['cloud', 'cloudAccount'],
  ['contact', 'contact'],
  ['contacts', 'contacts'],
  ['domain', 'domain'],
  ['folder', 'folder'],
  ['image', 'image'],
  ['import', 'importNoun'],
  ['invitation', 'invitation'],
  ['member', 'person'],
  ['project', 'project'],
  ['segment', 'segment'],
  ['subscribe', 'subscriber'],
  ['subscriber', 'subscriber'],
  ['suppression', 'suppression'],
  ['template', 'template'],
  ['webhook', 'webhook'],
  ['batch', 'mailNoun'],
  ['email', 'mailNoun'],
  ['mail', 'mailNoun'],
  ['mails', 'mailNoun'],
  ['send', 'mailNoun'],
]

/** What was changed and how, in the reader's language; an operation without words here, in English. */
export const actionLabel = (say: Say, action: string): string => {
  const words = wordsOf(action)
  const noun = nouns.find(([some]) => ` ${words} `.includes(` ${some} `))?.[1]
  if (noun === undefined) return actionText(action)
  const act = acts[words.split(' ')[0] ?? '']
  return act === undefined ? say(noun) : say('didTo', { what: say(noun), act: say(act) })
}
