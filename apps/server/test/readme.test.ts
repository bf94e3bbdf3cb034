import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../src/cli/command-line.js'
import { variables } from '../src/variables.js'

const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const readme = file('README.md')
const scripts = (JSON.parse(file('package.json')) as { scripts: Record<string, string> }).scripts

const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text)
const commands = blocks('sh').flatMap((block) => block.split('\n').filter((line) => line.startsWith('npm ')))

describe('the README', () => {
  it.each(Object.entries(variables))('lists %s as the program knows it', (name, { otherwise, meaning }) => {
    expect(readme).toContain(`| \`${name}\` | ${otherwise} | ${meaning} |`)
  })

  it('lists no variable that does not exist', () => {
    expect([...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name)).toEqual(Object.keys(variables))
  })

  it.each(commands.filter((line) => !line.startsWith('npm ci')))('names a script that exists: %s', (line) => {
    const name = line.startsWith('npm run ') ? line.split(' ')[2] : line.split(' ')[1]
    expect(scripts).toHaveProperty(name ?? '')
  })

  it.each(commands.filter((line) => line.includes(' -- ')))(
    'shows a command that the command line takes: %s',
    async (line) => {
      const words = line.split(' -- ')[1]?.split(' ') ?? []
      let command = await commandLine()
      for (;;) {
        const next = command.commands.find((one) => one.name() === words[0])
        if (!next) break
        words.shift()
        command = next
      }
      expect(command.commands).toEqual([])
      const { operands, unknown } = command.parseOptions(words)
      expect(unknown).toEqual([])
      expect(operands.length).toBeGreaterThanOrEqual(
        command.registeredArguments.filter(({ required }) => required).length,
      )
    },
  )

  it.each([...readme.matchAll(/\]\(((?!http)[^)#]+)\)/g)].map(([, path = '']) => path))(
    'links to %s, which is there',
    (path) => {
      expect(() => readFileSync(new URL(`../../../${path}`, import.meta.url))).not.toThrow('ENOENT')
    },
  )
})
