import type { AccountView, GalleryFolderView, KeyScope } from '@posthorn/core'
import { accessRequestStatuses, pendingLimitIncrease } from '@posthorn/core/ports/storage'
import { type AccessRequestView, keyScopes } from '@posthorn/core/ports/transport'
import { type Command, Option } from 'commander'
import { namedOrOnlyProjectScope } from './command-context.js'
import { itemsTextTable, operatorCommandVerb, resourceCommands, type TextTableColumns } from './commands.js'
import { textTable, wholeNumberParser } from './output.js'

const accountColumns: TextTableColumns<AccountView> = {
  ID: ({ _id }) => _id,
  NAME: ({ name }) => name,
  CREDITS: ({ credits }) => String(credits),
}

export const accountCommands = (program: Command): void => {
  resourceCommands('account', 'accounts own projects and the credit', [
    operatorCommandVerb({
      name: 'create',
      about: 'make an account',
      takes: [['<name>']],
      run: async ({ core }, [name = '']) => {
        const made = await core.accounts.create({ name })
        return { value: made, text: `Account ${made._id} (${made.name})` }
      },
    }),
    operatorCommandVerb({
      name: 'list',
      about: 'all accounts with their remaining credit',
      run: async ({ core }) => {
        const all = await core.accounts.list()
        return { value: all, text: all.length === 0 ? 'There is no account yet.' : itemsTextTable(accountColumns, all) }
      },
    }),
    operatorCommandVerb({
      name: 'show',
      about: 'one account',
      takes: [['<id>']],
      run: async ({ core }, [id = '']) => {
        const one = await core.accounts.get(id)
        return { value: one, text: itemsTextTable(accountColumns, [one]) }
      },
    }),
  ])(program)
  resourceCommands('credit', 'one credit is one mail to one recipient', [
    operatorCommandVerb({
      name: 'add',
      about: 'add credit to an account',
      takes: [
        ['<account>', 'id of the account'],
        ['<credits>', 'how many to add', wholeNumberParser(1, 1_000_000_000_000)],
      ],
      run: async ({ core }, [id = '', credits]) => {
        const after = await core.accounts.addCredit(id, Number(credits))
        return { value: after, text: `${after.name} has ${after.credits} credits` }
      },
    }),
  ])(program)
}

/** The API never manages these. */
export const projectCommands = (program: Command): void => {
  resourceCommands('project', 'projects own contacts, emails, keys and senders', [
    operatorCommandVerb<{ readonly from?: string }>({
      name: 'create',
      about: 'create a project in the sandbox',
      takes: [['<account>', 'id of the account that owns it'], ['<name>']],
      options: () => [
        new Option(
          '--from <project>',
          'copy templates, design system and emails of templates from this project of the account',
        ),
      ],
      run: async ({ core }, [accountId = '', name = ''], { from }) => {
        const made = await core.projects.create({ accountId, name, ...(from !== undefined && { from }) })
        return { value: made, text: `Project ${made._id} (${made.name}), ${made.status}` }
      },
    }),
    operatorCommandVerb({
      name: 'list',
      about: 'all projects',
      run: async ({ core }) => {
        const all = await core.projects.all()
        const rows = all.map(({ _id, name, status, restricted }) => [
          _id,
          name,
          restricted ? `${status}, restricted` : status,
        ])
        return { value: all, text: textTable([['ID', 'NAME', 'STATUS'], ...rows]) }
      },
    }),
    operatorCommandVerb({
      name: 'export',
      about: 'write everything of a project and its account into a new directory, in open formats',
      takes: [
        ['<project>', 'id of the project'],
        ['<directory>', 'a new one'],
      ],
      run: async (context, args) => (await import('./project-archive.js')).exportToDirectory(context, args),
    }),
    operatorCommandVerb({
      name: 'import',
      about: 'create the project of such a directory, with its account if that is missing',
      takes: [['<directory>', 'what project export wrote']],
      run: async (context, args) => (await import('./project-archive.js')).importProjectFromDirectory(context, args),
    }),
  ])(program)
  resourceCommands('key', 'API keys of a project', [
    operatorCommandVerb<{ readonly name: string; readonly scope: KeyScope }>({
      name: 'create',
      about: 'create a key; it is shown only once',
      takes: [['[project]', 'id of the project; the only one where there is one']],
      options: () => [
        new Option('--name <name>', 'purpose of the key').default('API key'),
        new Option('--scope <scope>', 'permitted endpoints').choices(keyScopes).default('full'),
      ],
      run: async (context, [project], { name, scope }) => {
        const { projectId } = await namedOrOnlyProjectScope(context, project)
        const { apiKey, key } = await context.core.apiKeys.create(projectId, { name, scope })
        const note = `(shown this once; id ${apiKey._id}, scope ${apiKey.scope})`
        return { value: { ...apiKey, key }, text: key, note }
      },
    }),
    operatorCommandVerb({
      name: 'list',
      about: 'keys of the project, by their last four characters',
      takes: [['[project]', 'id of the project']],
      run: async (context, [project]) => {
        const { projectId } = await namedOrOnlyProjectScope(context, project)
        const keys = await context.core.apiKeys.list(projectId)
        const columns: TextTableColumns<(typeof keys)[number]> = {
          ID: ({ _id }) => _id,
          NAME: ({ name }) => name,
          SCOPE: ({ scope }) => scope,
          KEY: ({ lastFour }) => `…${lastFour}`,
          CREATED: ({ createdAt }) => createdAt,
          REVOKED: ({ revokedAt }) => revokedAt ?? '',
        }
        return { value: keys, text: itemsTextTable(columns, keys) }
      },
    }),
    operatorCommandVerb<{ readonly project?: string }>({
      name: 'revoke',
      about: 'revoke a key permanently',
      takes: [['<key>', 'id of the key']],
      options: () => [new Option('--project <id>', 'the project, where there are several')],
      run: async (context, [id = ''], { project }) => {
        const { projectId } = await namedOrOnlyProjectScope(context, project)
        const revoked = await context.core.apiKeys.revoke(projectId, id)
        return { value: revoked, text: `The key …${revoked.lastFour} opens nothing any more` }
      },
    }),
  ])(program)
}

const limitText = (monthlyLimit: number) => (monthlyLimit === 0 ? 'unlimited' : String(monthlyLimit))

const requestColumns: TextTableColumns<AccessRequestView> = {
  PROJECT: ({ projectId }) => projectId,
  STATUS: ({ status }) => status,
  'MAILS A MONTH': ({ application }) => (application ? String(application.volume) : ''),
  WEBSITE: ({ application }) => application?.website ?? '',
  'LIMIT ASKED FOR': ({ limitIncreases }) => {
    const increase = pendingLimitIncrease(limitIncreases)
    return increase ? limitText(increase.requestedLimit) : ''
  },
  SINCE: ({ updatedAt }) => updatedAt,
}

const details = ({ projectId, status, application, limitIncreases }: AccessRequestView) =>
  textTable([
    ['project', projectId],
    ['status', status],
    ...Object.entries(application ?? {}).map(([question, answer]) => [question, String(answer)]),
    ...limitIncreases.map((one) => ['limit', `${limitText(one.requestedLimit)}, ${one.status}: ${one.reason}`]),
  ])

const ofProject = [['<project>', 'id of the project']] as const

const limitOption = () => [
  new Option('--monthly-limit <mails>', 'mails per month instead of the requested ones; 0 is unlimited').argParser(
    wholeNumberParser(0, 1_000_000_000_000),
  ),
  answerOption(),
]
type Answered = { readonly answer?: string }
type Limited = Answered & { readonly monthlyLimit?: number }
const answerOption = () => new Option('--answer <text>', 'what the project reads about the decision')

/** The operator's decisions (spec, "Production access"). */
export const productionAccessCommands = (program: Command): void => {
  resourceCommands('access', 'production access of projects, and their applications', [
    operatorCommandVerb<{ readonly status?: AccessRequestView['status'] }>({
      name: 'list',
      about: 'requests for production access and higher monthly limits',
      options: () => [new Option('--status <status>', 'only these').choices(accessRequestStatuses.slice(1))],
      run: async ({ core }, _args, { status }) => {
        const requests = await core.accessReviews.list(status)
        const none = `No request ${status === undefined || status === 'pending' ? 'is pending' : `is ${status}`}.`
        return { value: requests, text: requests.length === 0 ? none : itemsTextTable(requestColumns, requests) }
      },
    }),
    operatorCommandVerb({
      name: 'show',
      about: 'the project’s application',
      takes: ofProject,
      run: async ({ core }, [id = '']) => {
        const request = await core.accessReviews.get(id)
        return { value: request, text: details(request) }
      },
    }),
    operatorCommandVerb<Limited>({
      name: 'approve',
      about: 'lift the sandbox, whether the project asked for it or not',
      takes: ofProject,
      options: limitOption,
      run: async ({ core }, [id = ''], { monthlyLimit, answer }) => {
        const request = await core.accessReviews.approve(id, { monthlyLimit, answer })
        const project = await core.projects.get({ projectId: id, caller: 'operator' })
        const text = `${project.name} is in production; mails a month: ${limitText(project.monthlyLimit)}`
        return { value: request, text }
      },
    }),
    operatorCommandVerb<Answered>({
      name: 'decline',
      about: 'reject the request; the project may apply again',
      takes: ofProject,
      options: () => [answerOption()],
      run: async ({ core }, [id = ''], { answer }) => ({
        value: await core.accessReviews.decline(id, { answer }),
        text: 'The project stays in the sandbox',
      }),
    }),
    operatorCommandVerb<Answered>({
      name: 'revoke',
      about: 'return the project to the sandbox; it may apply again',
      takes: ofProject,
      options: () => [answerOption()],
      run: async ({ core }, [id = ''], { answer }) => ({
        value: await core.accessReviews.revoke(id, { answer }),
        text: 'The project’s production access is revoked',
      }),
    }),
    operatorCommandVerb({
      name: 'shared',
      about: 'move a project from its own cloud account back to the shared service',
      takes: ofProject,
      run: async ({ core }, [id = '']) => {
        const project = await core.accessReviews.share(id)
        return { value: project, text: `${project.name} sends through the shared service, in ${project.status}` }
      },
    }),
  ])(program)
  resourceCommands('limit', 'higher monthly limits that projects ask for', [
    operatorCommandVerb<Limited>({
      name: 'approve',
      about: 'set the requested limit, or another one',
      takes: ofProject,
      options: limitOption,
      run: async ({ core }, [id = ''], { monthlyLimit, answer }) => {
        const request = await core.accessReviews.approveLimit(id, { monthlyLimit, answer })
        const approved = request.limitIncreases.at(-1)?.approvedLimit ?? 0
        return { value: request, text: `The project’s mails a month: ${limitText(approved)}` }
      },
    }),
    operatorCommandVerb({
      name: 'set',
      about: 'set the limit of a project in production',
      takes: [...ofProject, ['<mails>', 'per month; 0 is unlimited', wholeNumberParser(0, 1_000_000_000_000)]],
      run: async ({ core }, [id = '', mails]) => {
        const project = await core.accessReviews.setLimit(id, { monthlyLimit: Number(mails) })
        return { value: project, text: `The project’s mails a month: ${limitText(project.monthlyLimit)}` }
      },
    }),
    operatorCommandVerb<Answered>({
      name: 'decline',
      about: 'reject the request; the limit stays',
      takes: ofProject,
      options: () => [answerOption()],
      run: async ({ core }, [id = ''], { answer }) => ({
        value: await core.accessReviews.declineLimit(id, { answer }),
        text: 'The project’s limit stays as it is',
      }),
    }),
  ])(program)
  operatorCommandVerb({
    name: 'restrict',
    about: 'stop all sending of a project, including queued mails',
    takes: [...ofProject, ['<reason>', 'shown to the project']],
    run: async ({ core }, [id = '', reason = '']) => {
      const project = await core.restriction.restrict(id, { reason })
      return { value: project, text: `${project.name} sends nothing any more: ${project.restrictedReason}` }
    },
  })(program)
  operatorCommandVerb({
    name: 'unrestrict',
    about: 'let a project send again; its earlier bounces and complaints no longer count',
    takes: ofProject,
    run: async ({ core }, [id = '']) => {
      const project = await core.restriction.unrestrict(id)
      return { value: project, text: `${project.name} may send again` }
    },
  })(program)
}

const folderColumns: TextTableColumns<GalleryFolderView> = {
  ID: ({ _id }) => _id,
  NAME: ({ name }) => name,
  BELOW: ({ parentFolderId }) => parentFolderId ?? '',
}

export const sharedFolderCommands = resourceCommands(
  'shared-folder',
  'gallery folders that all projects of an account see and may add images to',
  [
    operatorCommandVerb<{ readonly below?: string }>({
      name: 'create',
      about: 'share a folder',
      takes: [['<account>', 'id of the account'], ['<name>']],
      options: () => [new Option('--below <folder>', 'id of the shared folder that contains it')],
      run: async ({ core }, [accountId = '', name = ''], { below }) => {
        const made = await core.sharedFolders.create(accountId, { name, ...(below && { parentFolderId: below }) })
        return { value: made, text: `Folder ${made._id} (${made.name}) is shared` }
      },
    }),
    operatorCommandVerb({
      name: 'list',
      about: 'all folders that the account’s projects share',
      takes: [['<account>', 'id of the account']],
      run: async ({ core }, [accountId = '']) => {
        const all = await core.sharedFolders.list(accountId)
        return {
          value: all,
          text: all.length === 0 ? 'The account shares no folder yet.' : itemsTextTable(folderColumns, all),
        }
      },
    }),
    operatorCommandVerb({
      name: 'remove',
      about: 'permanently remove a shared folder with all its folders and images',
      takes: [
        ['<account>', 'id of the account'],
        ['<folder>', 'id of the folder'],
      ],
      run: async ({ core }, [accountId = '', id = '']) => {
        const removed = await core.sharedFolders.remove(accountId, id)
        return { value: removed, text: `Folder ${removed._id} (${removed.name}) is gone, with all that was in it` }
      },
    }),
  ],
)
