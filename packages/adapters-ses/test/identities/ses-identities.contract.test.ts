import { localSes } from '@posthorn/local-aws'
import { identitiesContract } from '@posthorn/testkit/contracts'
import { sesIdentities } from '../../src/index.js'
import { atEnd, awsOf, topicArn } from '../world.js'

identitiesContract('of Amazon SES', async () => {
  const ses = await localSes()
  const identities = sesIdentities({ ...awsOf(ses), topicArn })
  atEnd(ses.close)
  atEnd(async () => identities.close())
  return identities
})
