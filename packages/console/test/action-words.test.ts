import { describe, expect, it } from 'vitest'
import { routes } from '../../http-express/src/routes/index.js'
import { actionLabel, actionText } from '../src/settings/action-words.js'
import { de } from '../src/text/de.js'
import { en } from '../src/text/en.js'
import { es } from '../src/text/es.js'
import { filled } from '../src/text/filled.js'
import { fr } from '../src/text/fr.js'
import { it as italian } from '../src/text/it.js'
import { nl } from '../src/text/nl.js'
import { pl } from '../src/text/pl.js'
import { pt } from '../src/text/pt.js'
import type { Say } from '../src/text/text.js'

const saying =
  (messages: typeof en): Say =>
  (key, values = {}) =>
    filled(messages[key], values, { number: String, category: () => 'other' })

/** What the audit log records in a project: changes by the API’s rows, and those of its people. */
const recorded = [
  ...routes
    .filter(
      ({ method, permission, path }) =>
        method !== 'get' && !permission.endsWith('.read') && path.includes('{projectId}'),
    )
    .map(({ id }) => id),
  ...[
    'invitePerson',
    'acceptInvitation',
    'cancelInvitation',
    'changeMember',
    'removeMember',
    'liftSuppression',
    'createApiKey',
    'revokeApiKey',
    'deleteContacts',
    'updateContacts',
  ],
]

describe('the actions of the audit log', () => {
  it.for([
    ['updateCampaign', 'Campaign: changed', 'Kampagne: geändert', 'Campagne : modification'],
    ['stopCampaign', 'Campaign: stopped', 'Kampagne: angehalten', 'Campagne : arrêt'],
    ['createContactTag', 'Tag: created', 'Tag: angelegt', 'Étiquette : création'],
    ['sendTriggered', 'Triggered email: sent', 'Ausgelöste E-Mail: gesendet', 'E-mail déclenché : envoi'],
    ['invitePerson', 'Invitation: created', 'Einladung: angelegt', 'Invitation : création'],
    ['mergeContact', 'Contact', 'Kontakt', 'Contact'],
    ['frobnicate', 'Frobnicate', 'Frobnicate', 'Frobnicate'],
    ['', '', '', ''],
  ])('%s reads %s', ([action = '', ...labels]) => {
    expect([en, de, fr].map((messages) => actionLabel(saying(messages), action))).toEqual(labels)
  })

  it('name the kind of record and the act in every language', () => {
    expect(recorded.length).toBeGreaterThan(60)
    for (const messages of [en, de, fr, es, italian, nl, pt, pl]) {
      const say = saying(messages)
      const separator = say('didTo', { what: '', act: '' })
      for (const action of new Set(recorded)) {
        const label = actionLabel(say, action)
        expect(label, `${action} in ${say('language')}`).toContain(separator)
        expect(label).not.toBe(actionText(action))
      }
    }
  })
})
