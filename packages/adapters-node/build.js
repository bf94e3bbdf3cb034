import { fileURLToPath } from 'node:url'
import { bundle } from '../../scripts/bundling/bundle.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/** MJML without its minifiers, formatters and command line, which take 40 MB. */
await bundle({
  build: at('build.js'),
  out: at('dist/mjml/'),
  inputs: { mjml: at('src/mjml/mjml.js') },
  alias: { juice: at('../../node_modules/juice/client.js') },
  without: ['htmlnano', 'cssnano', 'cssnano-preset-lite', 'js-beautify', 'prettier', 'undici'],
})
