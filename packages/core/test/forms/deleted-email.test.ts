import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

describe('a form whose confirmation email was deleted', () => {
  it('warns the operator, and accepts the visitor', async () => {
    const { ports, lines } = inMemoryPorts()
    const core = createCore(ports)
    const { scope, list } = await sampleProject(core)
    const document = '<a href="{{verifyLink}}">Confirm</a>'
    const email = await core.transactionalEmails.create(scope, { name: 'C', subject: 'C', type: 'html', document })
    const doubleOptIn = { active: true, emailId: email._id }
    const form = await core.signupForms.create(scope, {
      ...{ name: 'Form', subscriberListIds: [list._id], captchaType: 'none' as const, doubleOptIn },
    })
    expect(await core.signupForms.get(scope, form._id)).not.toHaveProperty('warnings')
    await ports.repositories.transactionalEmails.remove({ _id: email._id })
    const visitor = { email: 'visitor@example.com' }
    expect(await core.signupForms.submit(scope, form._id, visitor)).toMatchObject({ success: true })
    expect((await core.signupForms.get(scope, form._id)).warnings).toEqual([
      'The email of the double opt-in of the form was deleted: visitors get no confirmation. Choose another.',
    ])
    expect(await core.subscribers.get(scope, list._id, visitor.email)).toMatchObject({ status: 'unverified' })
    expect(JSON.stringify(lines)).toContain('A confirmation was not sent')
  })
})
