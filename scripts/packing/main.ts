import { parseArgs } from 'node:util'
import { writeInstallation } from './installation.js'
import { packAll, repositoryHere } from './packing.js'

/**
 * `npm run pack:all -- --out DIR [--repository URL] [--installation]`: a tarball of each package, as it is published, or the directory of
 * a server that `npm ci` installs.
 */
const { values } = parseArgs({
  options: { repository: { type: 'string' }, out: { type: 'string' }, installation: { type: 'boolean' } },
})
const repository = values.repository ?? (await repositoryHere())
if (values.out === undefined || repository === undefined) {
  console.error(
    values.out === undefined
      ? 'Say where the tarballs go: --out DIR'
      : 'Say where the sources are: --repository URL, or a git remote called origin',
  )
  process.exitCode = 1
} else if (values.installation) await writeInstallation({ repository, out: values.out })
else for (const tarball of await packAll({ repository, out: values.out })) console.log(tarball)
