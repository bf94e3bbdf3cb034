import mjml from 'mjml-core'
import preset from 'mjml-preset-core'

/** All that is used of MJML; build.js bundles it with the libraries. */
export const rendered = (document, options) =>
  (mjml.default ?? mjml)(document, { ...options, presets: [preset.default ?? preset] })
