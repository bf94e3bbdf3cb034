export { mcpOverHttp } from './http.js'
export type { McpOptions } from './server.js'
export { mcpOverStdio, type StdioOptions } from './stdio.js'
