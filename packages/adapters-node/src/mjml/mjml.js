import mjml from 'mjml-core'
import preset from 'mjml-preset-core'

/** All that is used of MJML. In `dist` it stands with the libraries' code, which build.js puts there. */
export const rendered = (document, options) =>
  (mjml.default ?? mjml)(document, { ...options, presets: [preset.default ?? preset] })
