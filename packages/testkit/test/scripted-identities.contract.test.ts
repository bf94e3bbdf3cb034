import { identitiesContract } from '@posthorn/testkit/contracts'
import { scriptedDomainIdentities } from '../src/index.js'

identitiesContract('of a provider that has a domain once', () => scriptedDomainIdentities())
identitiesContract('of a provider that has a domain for each project', () =>
  scriptedDomainIdentities({ perProject: true }),
)
