import { issueOperatorToken } from '@posthorn/core/ports/runtime'
import { type Command, Option } from 'commander'
import { inContext } from './in-context.js'
import { CommandFailure } from './output.js'

type Options = { readonly role: 'admin' | 'account-owner'; readonly account?: string; readonly expires: string }

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/**
 * Parses a duration such as 30m, 1h or 7d, to seconds.
 * @throws CommandFailure
 */
const readDuration = (text: string): number => {
  const [, n, unit] = /^([1-9]\d{0,5}) ?([smhd])$/.exec(text) ?? []
  if (!n) throw new CommandFailure('--expires: expected a time such as 30m, 1h or 7d', 2)
  return Number(n) * secondsOf[unit as keyof typeof secondsOf]
}

/** `posthorn token`: a JWT for the endpoints that accept one (gaps.md, section 2). */
export const tokenCommand = (program: Command): void => {
  program
    .command('token')
    .addOption(new Option('--role <role>', 'what it lets do').choices(['admin', 'account-owner']).default('admin'))
    .option('--account <id>', 'the account, for an account-owner')
    .option('--expires <time>', 'how long it is good for', '1h')
    .description('make a token for an operator or an account’s owner')
    .action(
      inContext(async ({ core, ports, output }, { role, account, expires }: Options) => {
        if (role === 'account-owner' && account === undefined)
          throw new CommandFailure('--account: an account-owner needs one', 2)
        const lifetime = readDuration(expires)
        if (account !== undefined) await core.accounts.get(account)
        const iat = Math.floor(ports.clock().getTime() / 1000)
        const claims = { role, accountId: account, iat, exp: iat + lifetime }
        const token = issueOperatorToken(ports.secrets, claims)
        output.result({ token }, token)
      }),
    )
}
