import { identitiesContract } from '@posthorn/testkit/contracts'
import { scriptedIdentities } from '../src/index.js'

identitiesContract('of a provider that has a domain once', () => scriptedIdentities())
identitiesContract('of a provider that has a domain for each project', () => scriptedIdentities({ perProject: true }))
