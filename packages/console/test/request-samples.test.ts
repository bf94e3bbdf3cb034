import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { descriptionOf, found, responsesOf, typeOf } from '../src/developers/description.js'
import { requestSamples } from '../src/developers/request-samples.js'

const description = descriptionOf(
  JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')),
)
const { operations } = description
const of = (id: string) => {
  const one = operations.find(({ operationId }) => operationId === id)
  if (!one) throw new Error(id)
  return one
}
const called = { description, baseUrl: 'https://mail.example.com', projectId: '64b000000000000000000001' }

describe('the reference of the API in the console', () => {
  it('finds every operation, each in a part that has a name', () => {
    const tags = description.tags.map(({ name }) => name)
    expect(operations.length).toBeGreaterThan(150)
    expect(operations.filter(({ tag }) => !tags.includes(tag))).toEqual([])
    for (const one of operations) expect(found(operations, one.operationId)).toContain(one)
  })

  it('finds by words in any order and of any part', () => {
    expect(found(operations, 'campaign CREATE').map(({ operationId }) => operationId)).toContain('createCampaign')
    expect(found(operations, 'post /campaigns')).toEqual([])
    expect(found(operations, ' ')).toEqual(operations)
    expect(found(operations, 'nowhere')).toEqual([])
  })

  it('has an example of each request with the project’s id and no place left open', () => {
    for (const operation of operations)
      for (const sample of Object.values(requestSamples)) {
        const code = sample({ ...called, operation })
        const url =
          /'(https:[^']*)'|"(https:[^"]*)"/
            .exec(code)
            ?.slice(1)
            .find((one) => one !== undefined) ?? ''
        expect(`${operation.operationId} ${url}`).not.toMatch(/[{}]|%7B/)
        expect(url.includes(called.projectId)).toBe(operation.path.includes('{projectId}'))
        expect(code).not.toContain('ph_')
      }
  })

  it('says what is sent and what comes back', () => {
    const create = of('createCampaign')
    expect(requestSamples.curl({ ...called, operation: create })).toContain(
      `'https://mail.example.com/v1/projectId/${called.projectId}/campaigns'`,
    )
    expect(responsesOf(description, create)[0]).toMatchObject({ status: '201', type: 'Campaign' })
    expect(responsesOf(description, create).map(({ name }) => name)).toContain('CONFLICT')
    expect(typeOf({ type: 'array', items: { $ref: '#/components/schemas/Id' } })).toBe('Id[]')
    expect(typeOf({ enum: ['a', 'b'] })).toBe('"a" | "b"')
  })
})
