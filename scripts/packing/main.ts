import { parseArgs } from 'node:util'
import { packInto } from './application.js'
import { writeInstallation } from './installation.js'
import { packAll, repositoryHere } from './packing.js'

/**
 * `npm run pack:all -- --out DIR [--repository URL] [--installation]`: a tarball of each package, as it is published, or the directory of
 * a server that `npm ci` installs. `--into DIR PACKAGE…`: these packages, and those below them, as
 * dependencies of an application.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repository: { type: 'string' },
    out: { type: 'string' },
    into: { type: 'string' },
    installation: { type: 'boolean' },
  },
})
const { out, into, installation = false } = values
const repository = values.repository ?? (await repositoryHere())

const refuse = (message: string): void => {
  console.error(message)
  process.exitCode = 1
}

if ((out === undefined) === (into === undefined))
  refuse('Say where the tarballs go: --out DIR, or --into DIR PACKAGE… for an application')
else if (into !== undefined && positionals.length === 0)
  refuse('Say after --into DIR which packages the application names, such as embed')
else if (into !== undefined) {
  await packInto({ repository, application: into, packages: positionals })
  console.log(`The packages are dependencies of ${into}/package.json. Run npm install there.`)
} else if (out !== undefined && repository === undefined)
  refuse('Say where the sources are: --repository URL, or a git remote called origin')
else if (out !== undefined && repository !== undefined && installation) await writeInstallation({ repository, out })
else if (out !== undefined) for (const tarball of await packAll({ repository, out })) console.log(tarball)
