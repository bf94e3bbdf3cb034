import { identitiesContract } from '../src/contracts/index.js'
import { scriptedIdentities } from '../src/index.js'

identitiesContract('of a provider that has a domain once', () => scriptedIdentities())
identitiesContract('of a provider that has a domain for each project', () => scriptedIdentities({ perProject: true }))
