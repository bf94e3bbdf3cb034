import { join } from 'node:path'
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

describe('posthorn project export and import', () => {
  it('move a project to another installation, once', async () => {
    const elsewhere = temporaryDirectory()
    try {
      const account = (await json('account', 'create', 'Mover'))._id
      const project = (await json('project', 'create', account, 'Letters'))._id
      await run('suppression', 'create', 'no@example.com', '--project', project)
      const directory = join(elsewhere.path, 'export')
      expect((await run('project', 'export', project, directory)).stdout).toContain('records of the project Letters')
      const there = { POSTHORN_DATA_DIR: join(elsewhere.path, 'data') }
      await runCommand(['store', 'create'], there)
      expect(await runCommand(['project', 'import', directory], there)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('The project Letters'),
      })
      const listed = await runCommand(['suppression', 'list', '--project', project, '--json'], there)
      expect(listed.stdout).toContain('no@example.com')
      expect(await runCommand(['project', 'import', directory], there)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is there already; nothing was changed'),
      })
      expect(await run('project', 'export', project, directory)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not empty. Choose a new directory.'),
      })
      expect(await runCommand(['project', 'import', elsewhere.path], there)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is no export of a project'),
      })
    } finally {
      elsewhere.remove()
    }
  })
})
