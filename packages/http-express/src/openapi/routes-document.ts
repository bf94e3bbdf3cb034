import { errors } from '../errors.js'
import { browserAccessOf, keysOf, pathsOf, type Route } from '../route.js'

const byKey = (row: Route): string => `API key (${['full', ...keysOf(row)].join(', ')})`

const who: Readonly<Record<Route['auth'], (row: Route) => string>> = {
  'api-key': byKey,
  'api-key-or-origin': (row) => `${byKey(row)} or whitelisted Origin`,
  'api-key-or-jwt': (row) => `${byKey(row)}, admin’s or account owner’s JWT`,
  origin: () => 'whitelisted Origin',
  token: () => 'signed token',
  none: () => 'nobody is asked',
}

/** The text of `docs/routes.md`: every endpoint with its callers and statuses. */
export const routesDocument = (routes: readonly Route[]): string => {
  const lines = routes.flatMap((row) =>
    pathsOf(row).map((path) => {
      const refusals = new Set(row.fails.map((kind) => errors[kind].status).sort((a, b) => a - b))
      const answers = [row.success[0], ...refusals].join(', ')
      return `| ${row.method.toUpperCase()} | \`${path}\` | ${row.id} | ${who[row.auth](row)}${browserAccessOf(row) === 'subscribe-only' ? ' (under `subscribe-only`, too)' : ''}${row.preferences ? ', preferences token' : ''} | ${answers} |`
    }),
  )
  return `# Endpoints

Read from the rows in \`packages/http-express/src/routes\`. Every endpoint may also answer 400 (to a query key that it does not take), 429 and 500, and
413 where it takes a body. With an API key stand the scopes that open it (\`posthorn key create --scope\`). A whitelisted Origin opens what
the project's \`browserAccess\` lets it: all of its endpoints under \`full\`, those that say so under \`subscribe-only\`, none under
\`none\`.

| Method | Path | Operation | Who may call | Answers |
| --- | --- | --- | --- | --- |
${lines.join('\n')}
`
}

/** The text of `docs/errors.md`: every status with its name and meaning. */
export const errorsDocument = (): string => `# Errors

Every failure is \`{ "status": <status>, "error": { "name": <name>, "message": <message> } }\`. The message is written for the person who
made the request.

| Status | Name | Meaning |
| --- | --- | --- |
${Object.values(errors)
  .map(({ status, name, meaning }) => `| ${status} | ${name} | ${meaning} |`)
  .join('\n')}
`
