import { readdirSync, readFileSync } from 'node:fs'
import { createCore } from '@posthorn/core'
import { pathsOfRoute, routes } from '@posthorn/http-express'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { sampleImages } from '../../../tests/corpora/images.js'
import { commandLineProgram } from '../src/cli/command-line.js'
import { configVariables } from '../src/variables.js'

const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const readme = file('README.md')
const deploying = file('docs/deploy.md')
/** The documents whose commands are run by `readme-run.test.ts`. */
const guides = [readme, file('docs/cli.md'), deploying].join('\n')
const scripts = (JSON.parse(file('package.json')) as { scripts: Record<string, string> }).scripts

const blocks = (language: string) =>
  [...guides.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text)
const commands = [
  ...blocks('sh').flatMap((block) => block.split('\n').filter((line) => line.startsWith('npm '))),
  ...[...guides.matchAll(/`(npm [^`]+)`/g)].map(([, text = '']) => text.replace(/\s+/g, ' ')),
]

describe('the README and the guides', () => {
  it('list variables like docs/configuration.md', () => {
    const rows = readme.match(/^\| `[A-Z_]+` \|.*$/gm) ?? []
    expect(rows.length).toBeGreaterThan(5)
    const all = file('docs/configuration.md').split('\n')
    expect(rows.filter((row) => !all.includes(row))).toEqual([])
  })

  it.each(commands.filter((line) => !line.startsWith('npm ci')))('name an existing script: %s', (line) => {
    const name = line.startsWith('npm run ') ? line.split(' ')[2] : line.split(' ')[1]
    expect(scripts).toHaveProperty(name ?? '')
  })

  it.each(commands.filter((line) => line.startsWith('npm run posthorn -- ')))(
    'show a valid command: %s',
    async (line) => {
      const words = line.split(' -- ')[1]?.split(' ') ?? []
      let command = await commandLineProgram()
      for (;;) {
        const next = command.commands.find((one) => one.name() === words[0])
        if (!next) break
        words.shift()
        command = next
      }
      // `backup <target>` and `backup verify <backup>`.
      expect(command.registeredArguments.length > 0 ? [] : command.commands).toEqual([])
      const { operands, unknown } = command.parseOptions(words)
      expect(unknown).toEqual([])
      expect(operands.length).toBeGreaterThanOrEqual(
        command.registeredArguments.filter(({ required }) => required).length,
      )
    },
  )

  it.each([...readme.matchAll(/\]\(((?!http)[^)#]+)\)/g)].map(([, path = '']) => path))(
    'link from the README to the existing file %s',
    (path) => {
      expect(() => readFileSync(new URL(`../../../${path}`, import.meta.url))).not.toThrow('ENOENT')
    },
  )
})

describe('docs/configuration.md', () => {
  const configuration = file('docs/configuration.md')

  it.each(Object.entries(configVariables))('lists %s as the program defines it', (name, { otherwise, meaning }) => {
    expect(configuration).toContain(`| \`${name}\` | ${otherwise} | ${meaning.replaceAll('](docs/', '](')} |`)
  })

  it('lists no unknown variable', () => {
    expect([...configuration.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name)).toEqual(
      Object.keys(configVariables),
    )
  })
})

/** Paths that the server has, by what stands first in them. */
const served = new Set(
  [
    ...routes.flatMap(pathsOfRoute),
    ...[
      'app.ts',
      'pages/recipient-pages.ts',
      'pages/report-page.ts',
      'reference/reference.ts',
      'pages/tracking-pages.ts',
    ]
      .map((name) => file(`packages/http-express/src/${name}`))
      .flatMap((source) => [
        ...source.matchAll(
          /app\.(?:get|use)\(\s*'(\/\w[^']*)'|router\.\w+\(\s*'(\/(?:preferences|report|test-link))'|\.route\('(\/\w)\//g,
        ),
      ])
      .map(([, app, page, tracked]) => app ?? page ?? tracked ?? ''),
    '/outbox',
  ].map((path) => path.replace(/^(\/[\w-]+).*/, '$1')),
)

describe('the advice for a proxy', () => {
  const listed = [...deploying.matchAll(/^\| ((?:`\/[\w-]+`(?:, )?)+) \| /gm)].flatMap(([, paths = '']) =>
    [...paths.matchAll(/\/[\w-]+/g)].map(([path]) => path),
  )
  const [, pattern = ''] = /`location ~ (\S+)`/.exec(deploying) ?? []
  const [, caddy = ''] = /`@posthorn path ([^`]+)`/.exec(deploying) ?? []

  it('names exactly the server’s paths', () => {
    expect(listed.toSorted()).toEqual([...served].toSorted())
  })

  it('admits strangers’ and recipients’ paths, and not the operator’s', () => {
    const [open, closed] = [listed.slice(0, 7), listed.slice(7)]
    expect(open).toEqual(['/v1', '/preferences', '/report', '/test-link', '/gallery', '/c', '/o'])
    for (const path of open) expect(`${path}/x`).toMatch(new RegExp(pattern))
    for (const path of closed) expect(path).not.toMatch(new RegExp(pattern))
    expect(caddy.split(' ').map((path) => path.replace('/*', ''))).toEqual(open)
  })

  it('includes all paths in mails to recipients and in responses: links, pages and images', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore(ports)
    const { scope } = await sampleProject(core)
    const image = { filename: 'a.png', contentType: 'image/png', bytes: sampleImages['image/png'] }
    const { url } = await core.galleryImages.upload(scope, { image })
    const links = readdirSync(new URL('../../../packages/core/src/', import.meta.url), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...file(`packages/core/src/${name}`).matchAll(/publicUrl\}(\/[\w-]+)/g)])
      .map(([, path = '']) => path)
    const ofPeople = '/console'
    const ofRecipients = links.filter((path) => path !== ofPeople)
    expect(new Set(ofRecipients)).toEqual(new Set(['/v1', '/preferences', '/report', '/test-link']))
    expect(listed).toContain(ofPeople)
    for (const path of [...ofRecipients, new URL(url).pathname]) expect(path).toMatch(new RegExp(pattern))
  })
})
