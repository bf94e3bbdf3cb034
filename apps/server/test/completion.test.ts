import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandLineProgram } from '../src/cli/command-line.js'
import { completionRows, type ShellCompletionRow } from '../src/cli/completion.js'
import { commandsIn } from './terminal.js'

const run = commandsIn('/nowhere')
let rows: readonly ShellCompletionRow[] = []
const scripts = new Map<string, string>()
beforeAll(async () => {
  rows = completionRows(await commandLineProgram())
  for (const shell of ['bash', 'zsh', 'fish']) scripts.set(shell, (await run('completion', shell)).stdout)
})

/** What bash offers where the cursor stands behind the last of these words. */
const offered = async (...words: readonly string[]) => {
  const script = `${scripts.get('bash')}
COMP_WORDS=(posthorn "$@"); COMP_CWORD=$#; _posthorn; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words])
  return stdout.split('\n').filter((word) => word !== '')
}

describe('posthorn completion', () => {
  it('contains every command and option, for every shell', () => {
    expect(rows.map(({ path }) => path)).toContain('contacts import')
    for (const { path, options } of rows)
      for (const script of scripts.values()) {
        expect(script).toContain(path)
        for (const option of options) expect(script).toContain(option.slice(2))
      }
  })

  it.each([
    [['acc'], ['account', 'access']],
    [
      ['contacts', ''],
      ['import', 'export', '--json', '--data', '--help'],
    ],
    [
      ['contacts', 'export', '--format', ''],
      ['csv', 'ndjson'],
    ],
    [['key', 'create', '--scope', 's'], ['send']],
    [['campaign', 'report', '--j'], ['--json']],
    [['list', 'li'], ['list']],
    [['contacts', 'import', 'people.csv', '--create'], ['--create-fields']],
    [['contacts', 'import', '--list', ''], []],
  ])('offers after %j in bash: %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected)
  })

  it('is valid syntax for every installed shell', async () => {
    for (const [shell, script] of scripts) {
      const found = await promisify(execFile)(shell, ['-n', '-c', script]).catch(
        (error: NodeJS.ErrnoException) => error,
      )
      expect('code' in found ? found.code : 'readable').toMatch(/^(?:readable|ENOENT)$/)
    }
  })

  it('rejects unknown shells', async () => {
    expect(await run('completion', 'cmd')).toMatchObject({ code: 2 })
  })
})
