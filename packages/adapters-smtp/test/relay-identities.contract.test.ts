import { identitiesContract } from '@posthorn/testkit/contracts'
import { relayIdentities } from '../src/index.js'

identitiesContract('of a relay', () => relayIdentities({ relayDomain: 'mail.example.com' }))
