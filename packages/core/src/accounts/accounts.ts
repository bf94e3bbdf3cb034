import { z } from 'zod'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Counters, Runtime } from '../kernel/ports.js'
import { duplicate, invalid } from '../kernel/refusal.js'
import { getOrNotFound, orNotFound, type RepositoriesFor, refuseIfKeyTaken } from '../kernel/repository.js'
import { Name, recordView, stamps } from '../kernel/shapes.js'
import { type Account, creditCounterKey } from './account.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ accounts: Account }>
  readonly counters: Counters
}

const NewAccount = z.strictObject({ name: Name })
type NewAccount = z.input<typeof NewAccount>

/** What the operator sees of an account and its credit. */
export const AccountView = recordView({
  name: z.string(),
  urlFriendlyName: z.string(),
  credits: z.int().describe('Mails that can still be sent'),
}).meta({ id: 'Account', description: 'Owns projects and the credit' })
export type AccountView = z.output<typeof AccountView>

const urlFriendly = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'account'

/** For the operator (gaps.md, section 2). */
export const accountUseCases = ({ repositories: { accounts }, counters, clock, newId }: Deps) => {
  const view = async (account: Account): Promise<AccountView> =>
    AccountView.parse({
      ...account,
      credits: account.creditGranted - (await counters.used(creditCounterKey(account._id))),
    })

  return {
    /** @throws Refusal `invalid`, or `duplicate` if another name has the same form in URLs */
    create: async (input: NewAccount): Promise<AccountView> => {
      const { name } = parsed(NewAccount, input)
      const account: Account = {
        _id: newId(),
        name,
        urlFriendlyName: urlFriendly(name),
        creditGranted: 0,
        ...stamps(clock().toISOString()),
      }
      const taken = () => duplicate(`An account with the name ${account.urlFriendlyName} exists already.`)
      await accounts.add(account).catch(refuseIfKeyTaken(taken))
      return view(account)
    },

    get: async (id: string): Promise<AccountView> => view(await getOrNotFound(accounts, { _id: id })),

    list: async (): Promise<readonly AccountView[]> => Promise.all((await collected(accounts.each({}))).map(view)),

    /** In mails. @throws Refusal `not-found`, `invalid` unless a whole number above 0 */
    addCredit: async (id: string, credits: number): Promise<AccountView> => {
      if (!Number.isSafeInteger(credits) || credits < 1) throw invalid('credits: expected a whole number above 0')
      const account = orNotFound(
        accounts,
        await accounts.change({ _id: id }, (current) => ({
          ...current,
          creditGranted: current.creditGranted + credits,
          updatedAt: clock().toISOString(),
        })),
      )
      return view(account)
    },
  }
}
