import mjml from 'mjml-core'
import preset from 'mjml-preset-core'

/** build.js bundles this with the libraries. */
export const rendered = (document, options) =>
  (mjml.default ?? mjml)(document, { ...options, presets: [preset.default ?? preset] })
