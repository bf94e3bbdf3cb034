import { afterAll, describe, expect, it } from 'vitest'
import { runCommand, temporaryDirectory } from '../../../tests/server-process.js'

const data = temporaryDirectory()
afterAll(() => data.remove())

const run = (...args: string[]) => runCommand(args, { POSTHORN_DATA_DIR: data.path })
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

describe('posthorn project create --from', () => {
  it('copies from another project of the same account only', async () => {
    await run('store', 'create')
    const account = (await json('account', 'create', 'Acme'))._id
    const project = (await json('project', 'create', account, 'Shop'))._id
    const made = await json('project', 'create', account, 'Branch', '--from', project)
    expect(made).toMatchObject({ name: 'Branch', status: 'sandbox' })
    expect(made._id).not.toBe(project)
    const other = (await json('account', 'create', 'Other'))._id
    expect(await run('project', 'create', other, 'Thief', '--from', project)).toMatchObject({
      code: 1,
      stderr: 'error: Project not found\n',
    })
  })
})
