import type { Core } from '@posthorn/core'
import { type Role, type RoleMembership, roles } from '@posthorn/core/ports/transport'
import { type Command, Option } from 'commander'
import { itemsTextTable, operatorCommandVerb, resourceCommands, type TextTableColumns } from './commands.js'
import { CommandFailure } from './output.js'

type Listed = Awaited<ReturnType<Core['people']['commands']['list']>>[number]
type Linked = Awaited<ReturnType<Core['people']['commands']['link']>>
type Where = { readonly role?: Role; readonly account?: string; readonly project?: string }

const columns: TextTableColumns<Listed> = {
  EMAIL: ({ email }) => email,
  NAME: ({ name }) => name,
  ID: ({ _id }) => _id,
  OPERATOR: ({ operator }) => (operator ? 'yes' : ''),
  'SECOND FACTOR': ({ totp }) => (totp ? 'yes' : ''),
  PROJECTS: ({ projects }) => projects.map(({ name, role }) => `${name} (${role})`).join(', '),
}

const onlyAccount = async ({ accounts }: Core): Promise<string> => {
  const [only, another] = await accounts.list()
  if (!only) throw new CommandFailure('There is no account yet.')
  if (another) throw new CommandFailure('There are several accounts. Say which with --account <id> or --project <id>.')
  return only._id
}

const firstProject = async (core: Core, accountId: string): Promise<string | undefined> => {
  for (const { _id } of await core.projects.all()) if ((await core.accountOf(_id)) === accountId) return _id
  return undefined
}

/** Undefined without a role. */
const membershipOf = async (core: Core, { role, account, project }: Where): Promise<RoleMembership | undefined> => {
  if (role === undefined) {
    if (account === undefined && project === undefined) return undefined
    throw new CommandFailure('Say which role with --role <role>.')
  }
  if (project === undefined) return { accountId: account ?? (await onlyAccount(core)), role }
  await core.projects.get({ projectId: project, caller: 'operator' })
  return { accountId: account ?? (await core.accountOf(project)), projectId: project, role }
}

const whereOptions = () => [
  new Option('--role <role>', 'what the person may do').choices(roles),
  new Option('--account <id>', 'in all projects of this account; the only one where there is one'),
  new Option('--project <id>', 'in this project only'),
]

const email = [['<email>', 'address of the person']] as const
const person = [['<email>', 'address, or id, of the person']] as const

/** Where only an identity provider signs people in, the command line does, too. */
const entryNote = ({ people }: Core, withPassword: string): string =>
  people.passwords ? withPassword : 'Signs in once, within 15 minutes.'

const linked = ({ person, url }: Linked, note: string) => ({ value: { ...person, url }, text: url, note })

export const personCommands = (program: Command): void => {
  resourceCommands('person', 'people who use the console', [
    operatorCommandVerb<Where & { readonly name?: string; readonly operator?: boolean }>({
      name: 'create',
      about: 'add a person, and print a link to choose the password',
      takes: email,
      options: () => [
        new Option('--name <name>', 'shown to others; else the address'),
        ...whereOptions(),
        new Option('--operator', 'operates this installation'),
      ],
      run: async ({ core }, [address = ''], { name = address, operator = false, ...where }) => {
        const membership = await membershipOf(core, where)
        const made = await core.people.commands.create({ email: address, name, operator }, membership)
        return linked(made, entryNote(core, 'Opens once, within 24 hours: the person chooses a password there.'))
      },
    }),
    operatorCommandVerb<Where & { readonly mail?: boolean }>({
      name: 'invite',
      about: 'print a link by which somebody joins with a role',
      takes: email,
      options: () => [...whereOptions(), new Option('--mail', 'mail the link from the project if possible')],
      run: async ({ core }, [address = ''], { mail = false, ...where }) => {
        const membership = await membershipOf(core, where)
        if (!membership) throw new CommandFailure('Say which role with --role <role>.')
        const { accountId, projectId } = membership
        const mailFrom = mail ? (projectId ?? (await firstProject(core, accountId))) : undefined
        const invitation = await core.people.commands.invite(address, membership, mailFrom)
        const { link } = invitation
        return link === undefined
          ? { value: invitation, text: `The invitation is on its way to ${address}` }
          : { value: invitation, text: link, note: `Works once, within 7 days. Pass it on to ${address}.` }
      },
    }),
    operatorCommandVerb({
      name: 'list',
      about: 'everybody who may sign in, with projects and roles',
      run: async ({ core }) => {
        const all = await core.people.commands.list()
        return { value: all, text: all.length === 0 ? 'There is nobody yet.' : itemsTextTable(columns, all) }
      },
    }),
    operatorCommandVerb({
      name: 'reset',
      about: 'remove password, second factor and identity, end all sessions, and print a link to a new password',
      takes: person,
      run: async ({ core }, [address = '']) =>
        linked(await core.people.commands.reset(address), entryNote(core, 'Works once, within 24 hours.')),
    }),
    operatorCommandVerb({
      name: 'link',
      about: 'print a link that signs the person in without a password',
      takes: person,
      run: async ({ core }, [address = '']) =>
        linked(await core.people.commands.link(address), 'Works once, within 15 minutes.'),
    }),
    operatorCommandVerb({
      name: 'remove',
      about: 'remove a person with all roles and sessions',
      takes: person,
      run: async ({ core }, [address = '']) => {
        const person = await core.people.commands.remove(address)
        return { value: person, text: `${person.email} may not sign in any more` }
      },
    }),
  ])(program)
}
