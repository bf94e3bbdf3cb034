import { fileURLToPath } from 'node:url'
import { bundle } from '../../scripts/bundling/bundle.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const used = ['server/index', 'server/stdio', 'server/streamableHttp', 'types', 'validation/ajv-provider']

/** The server's half of the protocol's SDK, whose other half and web frameworks take 12 MB. */
await bundle({
  build: at('build.js'),
  out: at('dist/sdk/'),
  inputs: Object.fromEntries(
    used.map((name) => [name, fileURLToPath(import.meta.resolve(`@modelcontextprotocol/sdk/${name}.js`))]),
  ),
  left: ['zod'],
})
