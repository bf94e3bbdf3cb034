import { parseArgs } from 'node:util'
import { release } from './release.js'

const usage = `Usage: npm run release -- <version|patch|minor|major> [--dry-run] [--out DIR] [--repository URL]

Sets the version in every package, writes the section of CHANGELOG.md, builds, packs and checks every package, and commits and tags the
result here. Publishes nothing. The files go to DIR (release/<version> if none is named).

  --dry-run          does all of it but the commit and the tag, and puts the changed files back; DIR stays to look at
  --repository URL   where the sources are; if none is named, the git remote called origin
`

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      out: { type: 'string' },
      repository: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [wanted, ...more] = positionals
  if (values.help) {
    console.log(usage)
    return
  }
  if (wanted === undefined || more.length > 0) throw new Error(`Name one version or step.\n\n${usage}`)
  await release({
    wanted,
    out: values.out,
    repository: values.repository,
    dryRun: values['dry-run'],
    tell: console.log,
  })
}

main().catch((error: unknown) => {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
})
