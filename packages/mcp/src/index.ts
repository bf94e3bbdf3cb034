export { mcpOverHttp } from './http.js'
export type { McpOptions } from './options.js'
export { mcpOverStdio, type StdioOptions } from './stdio.js'
