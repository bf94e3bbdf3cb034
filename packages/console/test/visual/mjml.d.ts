/** MJML publishes no types. */
declare module 'mjml-parser-xml' {
  const parse: (source: string, options: object) => import('../../src/editor/visual/document.js').MjmlNode
  // biome-ignore lint/style/noDefaultExport: as MJML has it
  export default parse
}
declare module 'mjml-preset-core' {
  const preset: { readonly components: readonly { readonly componentName: string }[] }
  // biome-ignore lint/style/noDefaultExport: as MJML has it
  export default preset
}
