import { createCore } from '@posthorn/core'
import { ownAccountLookup } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { MailerUnavailable } from '../../../src/sending/channels/mailer.js'

const keys = { accessKeyId: 'AKIA-EXAMPLE', secretAccessKey: 'a-secret-that-opens' }

const start = async (cloudConfig: object | undefined) => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const { scope } = await sampleProject(core)
  if (cloudConfig) await core.projects.update(scope, { cloudConfig })
  const channel = { account: 'project', projectId: scope.projectId, region: 'us-east-1' } as const
  return { ports, core, scope, channel, access: () => ownAccountLookup(ports)(channel) }
}

describe('access to a project’s own account', () => {
  it('is read from the store each time, for the channel’s region, in clear text', async () => {
    const { core, scope, channel, access } = await start({ ...keys, region: 'eu-west-1', limit: 7 })
    const { projectId, region } = channel
    expect(await access()).toEqual({ projectId, region, limit: 7, credentials: keys })
    await core.projects.update(scope, { cloudConfig: { secretAccessKey: 'another-secret' } })
    expect(await access()).toMatchObject({ credentials: { secretAccessKey: 'another-secret' } })
  })

  it('is unavailable without credentials', async () => {
    const { access } = await start(undefined)
    await expect(access()).rejects.toThrow(MailerUnavailable)
    await expect(access()).rejects.toThrow('Store the credentials of cloudConfig anew')
  })

  it('is unavailable if the secret does not open the stored credentials', async () => {
    const { ports, channel } = await start({ ...keys, region: 'eu-west-1' })
    const secrets = {
      open: () => {
        throw new Error('none of the secrets sealed it')
      },
    }
    await expect(ownAccountLookup({ ...ports, secrets })(channel)).rejects.toThrow('cannot be opened')
  })

  it('is unavailable for a deleted project', async () => {
    const { ports, channel } = await start(keys)
    await expect(ownAccountLookup(ports)({ ...channel, projectId: 'gone' })).rejects.toThrow('The project is gone.')
  })
})
