import { signedToken } from '@posthorn/core/ports/transport'
import { inMemoryPorts } from '@posthorn/testkit'
import { expect, it } from 'vitest'
import { validToken } from '../../src/tokens/tokens.js'

const { ports, clock } = inMemoryPorts()
const [id, d] = ['1'.repeat(24), '2'.repeat(24)]
const token = signedToken(ports.secrets, { purpose: 'preferences', c: id, a: '0'.repeat(20), d })
const opened = (text: string) => validToken(ports.secrets, 'preferences', text, clock.now())

it('rejects a token with one character changed', () => {
  expect(opened(token)).toMatchObject({ c: id, d })
  for (let n = 0; n < token.length; n += 1) {
    const other = token[n] === 'f' ? 'g' : 'f'
    expect(opened(token.slice(0, n) + other + token.slice(n + 1))).toBeUndefined()
  }
})

it('keeps the payload of a preferences token within 160 characters', () => {
  expect(token.split('.')[0]?.length).toBeLessThanOrEqual(160)
})
