import { createCore, Refusal } from '@posthorn/core'
import { fakeSecrets, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CloudConfig,
  CloudConfigFields,
  changedCloudConfig,
  type StoredCloudConfig,
} from '../../src/projects/cloud-config.js'

const roleArn = 'arn:aws:iam::123456789012:role/posthorn-sending'
const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLX', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

const start = async () => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const { scope } = await sampleProject(core)
  const update = async (cloudConfig: unknown) =>
    (await core.projects.update(scope, { cloudConfig: cloudConfig as never })).cloudConfig
  const stored = async () => (await ports.repositories.projects.get({ _id: scope.projectId }))?.cloudConfig
  return { core, scope, update, stored }
}

describe('a project’s cloud configuration', () => {
  it('is returned as hints, and stored sealed', async () => {
    const { core, scope, update, stored } = await start()
    const hints = { accessKeyIdHint: 'AKI…X', secretAccessKeyHint: 'wJa…Y' }
    expect(await update({ ...keys, region: 'eu-west-1' })).toEqual({ ...hints, region: 'eu-west-1' })
    expect((await core.projects.get(scope)).cloudConfig).toEqual({ ...hints, region: 'eu-west-1' })
    const kept = JSON.stringify(await stored())
    for (const secret of Object.values(keys)) expect(kept).not.toContain(secret)
  })

  it('is updated field by field', async () => {
    const { update } = await start()
    await update(keys)
    await update({ region: 'eu-west-1', limit: 10 })
    expect(await update({ senderIdentities: [{ name: 'Shop', email: 'shop@example.com' }], limit: 20 })).toEqual({
      accessKeyIdHint: 'AKI…X',
      secretAccessKeyHint: 'wJa…Y',
      region: 'eu-west-1',
      limit: 20,
      senderIdentities: [{ name: 'Shop', email: 'shop@example.com' }],
    })
    expect(await update({ accessKeyId: 'AKIAROTATEDROTATEDZ' })).toMatchObject({ accessKeyIdHint: 'AKI…Z', limit: 20 })
  })

  it('changes between keys and a role only if the other is removed', async () => {
    const { update, stored } = await start()
    await update(keys)
    const message = 'cloudConfig: give a roleArn or an access key, not both: removeCredentials takes away the other'
    await expect(update({ roleArn })).rejects.toMatchObject({ kind: 'invalid', message })
    expect(await update({ roleArn, removeCredentials: 'keys' })).toEqual({ roleArnHint: 'arn…g' })
    await expect(update(keys)).rejects.toMatchObject({ kind: 'invalid', message })
    expect(await update({ ...keys, removeCredentials: 'role' })).not.toHaveProperty('roleArnHint')
    expect(await update({ removeCredentials: 'keys' })).toEqual({})
    expect(await stored()).toEqual({})
    expect(await update({ removeCredentials: 'role' })).toEqual({})
  })

  it('reveals nothing of short secrets', async () => {
    expect(await (await start()).update({ accessKeyId: 'secret7', secretAccessKey: 'abc' })).toEqual({
      accessKeyIdHint: '…',
      secretAccessKeyHint: '…',
    })
  })

  it.each([
    [{ ...keys, roleArn }, 'not both'],
    [{ accessKeyId: 'AKIAIOSFODNN7EXAMPLE' }, 'accessKeyId and secretAccessKey go together'],
    [{ secretAccessKey: 'x' }, 'accessKeyId and secretAccessKey go together'],
    [{ ...keys, secretAccessKey: 'a\r\nb' }, 'cloudConfig.secretAccessKey: expected 1 to 256 visible ASCII characters'],
    [{ ...keys, accessKeyId: '' }, 'cloudConfig.accessKeyId: expected 1 to 256'],
    [{ ...keys, accessKeyId: 'AKIA\0' }, 'cloudConfig.accessKeyId: expected 1 to 256'],
    [{ roleArn: 'arn:aws:iam::123:role/x' }, 'cloudConfig.roleArn: expected the ARN of an IAM role'],
    [{ roleArn: `${roleArn}\nx` }, 'cloudConfig.roleArn: expected the ARN of an IAM role'],
    [{ region: 'evil.example/#' }, 'cloudConfig.region: expected a region such as eu-west-1'],
    [{ region: 'eu-west-1.evil.example' }, 'cloudConfig.region: expected a region such as eu-west-1'],
    [{ limit: 0 }, 'cloudConfig.limit'],
    [{ limit: 1.5 }, 'cloudConfig.limit'],
    [{ senderIdentities: [{ name: 'A\r\nBcc: b', email: 'a@b.example' }] }, 'must not contain line breaks'],
    [{ senderIdentities: [{ name: 'A', email: 'nobody' }] }, 'Invalid email format'],
    [{ removeCredentials: 'all' }, 'cloudConfig.removeCredentials'],
    [{ roleArnHint: 'arn…x' }, 'Unexpected field: cloudConfig.roleArnHint'],
    ['keys', 'cloudConfig'],
  ])('rejects %j', async (cloudConfig, message) => {
    const { update, stored } = await start()
    await expect(update(cloudConfig)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(message),
    })
    expect(await stored()).toBeUndefined()
  })

  it('lifts a restriction only together with the status byoCloudSes and a configuration', async () => {
    const { core, scope } = await start()
    await core.restriction.restrict(scope.projectId, { reason: 'Too many bounces' })
    await expect(core.projects.update(scope, { status: 'byoCloudSes' })).rejects.toMatchObject({ kind: 'invalid' })
    const freed = await core.projects.update(scope, {
      status: 'byoCloudSes',
      cloudConfig: { ...keys, region: 'eu-west-1' },
    })
    expect(freed).toMatchObject({ status: 'byoCloudSes', restricted: false })
    expect(freed).not.toHaveProperty('restrictedReason')
  })

  it('must contain credentials for the status byoCloudSes', async () => {
    const { core, scope, update } = await start()
    const own = (cloudConfig?: object) =>
      core.projects.update(scope, { status: 'byoCloudSes', ...(cloudConfig !== undefined && { cloudConfig }) })
    const message = expect.stringMatching(/^status: byoCloudSes needs a roleArn, or /)
    await update({ region: 'eu-west-1', limit: 10 })
    for (const without of [undefined, {}, { region: 'us-east-1' }, { senderIdentities: [] }])
      await expect(own(without)).rejects.toMatchObject({ kind: 'invalid', message })
    await update(keys)
    await expect(own({ removeCredentials: 'keys' })).rejects.toMatchObject({ kind: 'invalid', message })
    expect(await own()).toMatchObject({ status: 'byoCloudSes' })
    expect(await own({ roleArn, removeCredentials: 'keys' })).toMatchObject({ status: 'byoCloudSes' })
  })

  it.each(['sandbox', 'production', 'BYOCLOUDSES', '', 7, true, null, {}, ['byoCloudSes']])(
    'is not required by the status %j, which is ignored',
    async (status) => {
      const { core, scope } = await start()
      expect(await core.projects.update(scope, { status, name: 'Renamed' })).toMatchObject({
        status: 'production',
        name: 'Renamed',
      })
    },
  )

  const optional = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
  const changes: fc.Arbitrary<CloudConfigFields> = fc.record({
    roleArn: optional([roleArn]),
    accessKeyId: optional([keys.accessKeyId]),
    secretAccessKey: optional([keys.secretAccessKey]),
    region: optional(['eu-west-1', 'us-east-1']),
    removeCredentials: optional(['role', 'keys'] as const),
  })

  it('never holds a role beside keys, half a pair, an empty hint or a plain secret', () => {
    const secrets = fakeSecrets()
    const tried = (before: StoredCloudConfig | undefined, fields: CloudConfigFields) => {
      try {
        return changedCloudConfig(before, CloudConfigFields.parse(fields), secrets)
      } catch (error) {
        if (error instanceof Refusal) return before
        throw error
      }
    }
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 8 }), (all) => {
        const config = all.reduce<StoredCloudConfig | undefined>(tried, undefined)
        const { roleArn: role, accessKeyId, secretAccessKey, ...read } = config ?? {}
        expect([role && accessKeyId, Boolean(accessKeyId) !== Boolean(secretAccessKey)]).toEqual([undefined, false])
        expect(CloudConfig.parse(config ?? {})).toEqual(read)
        expect([Boolean(read.roleArnHint), Boolean(read.accessKeyIdHint)]).toEqual([
          Boolean(role),
          Boolean(accessKeyId),
        ])
        for (const secret of [roleArn, ...Object.values(keys)])
          expect(Object.values(config ?? {})).not.toContain(secret)
      }),
    )
  })
})
