import type { AccountView } from '@posthorn/core'
import type { Command } from 'commander'
import { inContext } from './in-context.js'
import { table } from './output.js'
import { wholeNumber } from './whole-number.js'

const lines = (accounts: readonly AccountView[]) =>
  accounts.length === 0
    ? 'There is no account yet.'
    : table([['ID', 'NAME', 'CREDITS'], ...accounts.map(({ _id, name, credits }) => [_id, name, String(credits)])])

/** `posthorn account …` and `posthorn credit add`. */
export const accountCommands = (program: Command): void => {
  const account = program.command('account').description('accounts own projects and the credit')
  account
    .command('create')
    .argument('<name>')
    .description('make an account')
    .action(
      inContext(async ({ core, output }, name: string, _options: object) => {
        const made = await core.accounts.create({ name })
        output.result(made, `Account ${made._id} (${made.name})`)
      }),
    )
  account
    .command('list')
    .description('all accounts with the credit that is left')
    .action(
      inContext(async ({ core, output }, _options: object) => {
        const all = await core.accounts.list()
        output.result(all, lines(all))
      }),
    )
  account
    .command('show')
    .argument('<id>')
    .description('one account')
    .action(
      inContext(async ({ core, output }, id: string, _options: object) => {
        const one = await core.accounts.get(id)
        output.result(one, lines([one]))
      }),
    )

  program
    .command('credit')
    .description('one credit is one mail to one recipient')
    .command('add')
    .argument('<account>', 'id of the account')
    .argument('<credits>', 'how many to add', wholeNumber(1, 1_000_000_000_000))
    .description('add credit to an account')
    .action(
      inContext(async ({ core, output }, id: string, credits: number, _options: object) => {
        const after = await core.accounts.addCredit(id, credits)
        output.result(after, `${after.name} has ${after.credits} credits`)
      }),
    )
}
