import { type Command, Option } from 'commander'
import { SignJWT } from 'jose'
import { tokens } from '../tokens.js'
import { CommandFailure } from './output.js'
import { inWorkshop } from './workshop.js'

type Options = { readonly role: 'admin' | 'account-owner'; readonly account?: string; readonly expires: string }

/** `posthorn token`: a JWT for the endpoints that take one (gaps.md, section 2). */
export const tokenCommand = (program: Command): void => {
  program
    .command('token')
    .addOption(new Option('--role <role>', 'what it lets do').choices(['admin', 'account-owner']).default('admin'))
    .option('--account <id>', 'the account, for an account-owner')
    .option('--expires <time>', 'how long it is good for', '1h')
    .description('make a token for an operator or an account’s owner')
    .action(
      inWorkshop(async ({ core, config, container, output }, { role, account, expires }: Options) => {
        if (role === 'account-owner' && account === undefined)
          throw new CommandFailure('--account: an account-owner needs one', 2)
        if (!/^\d+ ?(s|m|h|d)$/.test(expires))
          throw new CommandFailure('--expires: expected a time such as 30m, 1h or 7d', 2)
        if (account !== undefined) await core.accounts.get(account)
        const [secret = ''] = config.secrets ?? [container.get(tokens.dataDirectory).secret()]
        const token = await new SignJWT({ role, ...(account && { accountId: account }) })
          .setProtectedHeader({ alg: 'HS256' })
          .setSubject('operator')
          .setIssuedAt()
          .setExpirationTime(expires)
          .sign(new TextEncoder().encode(secret))
        output.result({ token }, token)
      }),
    )
}
