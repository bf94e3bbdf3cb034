import { readFileSync } from 'node:fs'
import { exitWithError, ignoreClosedPipes } from './ending.js'

const help = `Usage: npm start, or node apps/server/bin/server.js

Starts the server that the environment describes: POSTHORN_DATA_DIR says where it keeps everything, SMTP_URL which relay it
sends through, PORT where it listens. docs/configuration.md lists all variables.

Options:
  -V, --version  output the version number
  -h, --help     display this help; nothing is started

Commands for the operator: npm run posthorn -- --help
`

const version = () =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version

ignoreClosedPipes()
const [argument] = process.argv.slice(2)
if (argument === undefined) await import('./start.js').then(({ start }) => start(process.env)).catch(exitWithError)
else if (['--help', '-h', 'help'].includes(argument)) process.stdout.write(help)
else if (['--version', '-V'].includes(argument)) process.stdout.write(`${version()}\n`)
else {
  process.stderr.write(
    `error: The server takes no argument such as ${argument}; see --help for its environment variables.\n`,
  )
  process.exit(2)
}
