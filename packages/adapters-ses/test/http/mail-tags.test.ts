import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deliveryIdInTags, deliveryTags } from '../../src/http/send-request.js'

const projectId = 'a'.repeat(24)

it('the delivery id survives the round trip through SES’s tags', () => {
  const recipient = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 254 })
  fc.assert(
    fc.property(recipient, (one) => {
      const deliveryId = `${'d'.repeat(24)}:${one}`
      const tags = deliveryTags({ deliveryId, projectId })
      for (const { Name, Value } of tags) expect(`${Name} ${Value}`).toMatch(/^[\w-]{1,256} [\w-]{1,256}$/)
      const reported = Object.fromEntries(tags.map(({ Name, Value }) => [Name, [Value]]))
      expect(deliveryIdInTags(reported)).toBe(deliveryId)
    }),
  )
})

it('other tags contain no delivery id', () => {
  expect(deliveryIdInTags({ 'ses:configuration-set': ['one'], 'posthorn-project': [projectId] })).toBeUndefined()
})
