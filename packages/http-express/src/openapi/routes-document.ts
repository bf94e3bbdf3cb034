import { httpErrorsByKind } from '../errors.js'
import { browserAccessNeededFor, pathsOfRoute, type Route, routeScopesBesidesFull } from '../route.js'

const byKey = (row: Route): string => `API key (${['full', ...routeScopesBesidesFull(row)].join(', ')})`

const who: Readonly<Record<Route['auth'], (row: Route) => string>> = {
  'api-key': byKey,
  'api-key-or-origin': (row) => `${byKey(row)} or whitelisted Origin`,
  'api-key-or-jwt': (row) => `${byKey(row)}, admin’s or account owner’s JWT`,
  origin: () => 'whitelisted Origin',
  token: () => 'signed token',
  person: () => 'a person of the console',
  operator: () => 'a person of the console',
  console: () => 'the console',
  none: () => 'anybody',
}

export const routesDocument = (routes: readonly Route[]): string => {
  const lines = routes.flatMap((row) =>
    pathsOfRoute(row).map((path) => {
      const refusals = new Set(row.fails.map((kind) => httpErrorsByKind[kind].status).sort((a, b) => a - b))
      const answers = [row.success[0], ...refusals].join(', ')
      return `| ${row.method.toUpperCase()} | \`${path}\` | ${row.id} | ${who[row.auth](row)}${browserAccessNeededFor(row) === 'subscribe-only' ? ' (under `subscribe-only`, too)' : ''}${row.preferences ? ', preferences token' : ''} | ${answers} |`
    }),
  )
  return `# Endpoints

Generated from the rows in \`packages/http-express/src/routes\`. Every endpoint may also respond with 400 (unknown query key), 429, 500 and
503, and with 408 and 413 if it accepts a body. The scopes that an API key needs are in parentheses (\`posthorn key create --scope\`). What pages of a
whitelisted Origin may call depends on the project's \`browserAccess\`: \`full\` opens all endpoints that list a whitelisted Origin,
\`subscribe-only\` those that say so, \`none\` opens nothing.

| Method | Path | Operation | Who may call | Answers |
| --- | --- | --- | --- | --- |
${lines.join('\n')}
`
}

export const errorsDocument = (): string => `# Errors

Every failure is \`{ "status": <status>, "error": { "name": <name>, "message": <message> } }\`. The message is written for
people. For programs, 400 also has \`error.violations\`, \`[{ "field", "message" }]\`, and 500 the header \`X-Request-Id\`.

| Status | Name | Meaning |
| --- | --- | --- |
${Object.values(httpErrorsByKind)
  .map(({ status, name, meaning }) => `| ${status} | ${name} | ${meaning} |`)
  .join('\n')}
`
