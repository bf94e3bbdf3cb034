import type {
  CustomFieldView,
  SegmentView,
  SenderIdentityView,
  SubscriberListView,
  SuppressionView,
} from '@posthorn/core'
import { customFieldTypes } from '@posthorn/core/ports/storage'
import { uncheckedInput } from '@posthorn/core/ports/transport'
import { Option } from 'commander'
import {
  deleteVerb,
  listVerb,
  pageOfSlice,
  projectCommandVerb,
  resourceCommands,
  showVerb,
  type TextTableColumns,
} from './commands.js'
import { textTable } from './output.js'

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const listColumns: TextTableColumns<SubscriberListView> = {
  ID: ({ _id }) => _id,
  NAME: ({ name }) => name,
  PRIVATE: (list) => (list.private ? 'yes' : 'no'),
  'DOUBLE OPT-IN': ({ doubleOptIn }) => (doubleOptIn.active ? 'yes' : 'no'),
  CREATED: ({ createdAt }) => createdAt,
}

export const subscriberListCommands = resourceCommands('list', 'lists that contacts subscribe to', [
  listVerb<SubscriberListView>({
    about: 'lists of the project',
    columns: listColumns,
    none: () => 'There is no list yet.',
    list: ({ core, scope }, page) => core.subscriberLists.list(scope, page),
  }),
  projectCommandVerb({
    name: 'show',
    about: 'one list, and how many are on it',
    takes: [['<id>', 'id of the list']],
    run: async ({ core, scope }, [id = '']) => {
      const list = await core.subscriberLists.get(scope, id)
      const stats = await core.subscriberLists.stats(scope, id)
      const counts = (['active', 'paused', 'unsubscribed', 'unverified'] as const).map((status) => [
        status,
        String(stats[status]),
      ])
      const rows = Object.entries(listColumns).map(([heading, cell]) => [heading.toLowerCase(), cell(list)])
      return { value: { ...list, stats }, text: textTable([...rows, ...counts]) }
    },
  }),
  projectCommandVerb<{ readonly description?: string; readonly private?: boolean }>({
    name: 'create',
    about: 'make a list',
    takes: [['<name>', 'name']],
    options: () => [
      new Option('--description <text>', 'description shown to subscribers'),
      new Option('--private', 'show it to nobody but those who are on it'),
    ],
    run: async ({ core, scope }, [name], { description, private: isPrivate }) => {
      const made = await core.subscriberLists.create(scope, uncheckedInput({ name, description, private: isPrivate }))
      return { value: made, text: `List ${made._id} (${made.name})` }
    },
  }),
  deleteVerb(
    'remove a list and its memberships; the contacts stay',
    ['<id>', 'id of the list'],
    ({ core, scope }, id) => core.subscriberLists.remove(scope, id),
  ),
])

const segmentColumns: TextTableColumns<SegmentView> = {
  ID: ({ _id }) => _id,
  NAME: ({ name }) => name,
  CONDITIONS: ({ groups }) => String(groups.reduce((sum, { conditions }) => sum + conditions.length, 0)),
  CREATED: ({ createdAt }) => createdAt,
}

export const segmentCommands = resourceCommands('segment', 'parts of the contacts, by conditions', [
  listVerb<SegmentView>({
    about: 'segments of the project',
    columns: segmentColumns,
    none: () => 'There is no segment yet.',
    list: ({ core, scope }, page) => core.segments.list(scope, page),
  }),
  showVerb<SegmentView>(
    'one segment with its conditions',
    { ...segmentColumns, CONDITIONS: ({ groups }) => JSON.stringify(groups) },
    ({ core, scope }, id) => core.segments.get(scope, id),
  ),
  projectCommandVerb<{ readonly groups: string }>({
    name: 'create',
    about: 'make a segment',
    takes: [['<name>', 'name']],
    options: () => [
      new Option(
        '--groups <json>',
        'groups of conditions, as in the API: [{"conditions":[{"property":"plan","operator":"equals","value":"pro"}]}]',
      ).makeOptionMandatory(),
    ],
    run: async ({ core, scope }, [name], { groups }) => {
      const made = await core.segments.create(scope, uncheckedInput({ name, groups: asJson(groups) }))
      return { value: made, text: `Segment ${made._id} (${made.name})` }
    },
  }),
  deleteVerb('remove a segment', ['<id>', 'id of the segment'], ({ core, scope }, id) =>
    core.segments.remove(scope, id),
  ),
])

export const fieldCommands = resourceCommands('field', 'contact fields of the project’s own', [
  listVerb<CustomFieldView>({
    about: 'fields of the project',
    columns: { NAME: ({ name }) => name, TYPE: ({ type }) => type },
    none: () => 'There is no field of the project’s own yet.',
    list: async ({ core, scope }, page) => pageOfSlice(await core.customFields.list(scope), page),
  }),
  projectCommandVerb<{ readonly type: string }>({
    name: 'create',
    about: 'make a field',
    takes: [['<name>', 'name; Favorite Color becomes favoriteColor']],
    options: () => [new Option('--type <type>', 'of its values').choices(customFieldTypes).default('string')],
    run: async ({ core, scope }, [name], { type }) => {
      const made = await core.customFields.create(scope, uncheckedInput({ name, type }))
      return { value: made, text: `Field ${made.name} (${made.type})` }
    },
  }),
  deleteVerb('remove a field, and its values', ['<name>', 'its API name'], ({ core, scope }, name) =>
    core.customFields.remove(scope, name),
  ),
])

export const suppressionCommands = resourceCommands('suppression', 'addresses that get no mail of the project', [
  listVerb<SuppressionView, { readonly email?: string }>({
    about: 'suppressed addresses',
    columns: {
      ID: ({ _id }) => _id,
      ADDRESS: ({ email }) => email,
      REASON: ({ reason }) => reason,
      SINCE: ({ createdAt }) => createdAt,
    },
    none: ({ email }) => (email === undefined ? 'Nobody is suppressed.' : `${email} is not suppressed.`),
    options: () => [new Option('--email <address>', 'this address alone')],
    list: ({ core, scope }, page, { email }) =>
      core.suppressions.list(scope, { ...page, ...(email !== undefined && { filter: { email } }) }),
  }),
  projectCommandVerb<{ readonly reason?: string }>({
    name: 'create',
    about: 'send nothing more to an address',
    takes: [['<address>', 'whose mail is stopped']],
    options: () => [new Option('--reason <text>', 'why')],
    run: async ({ core, scope }, [email], { reason }) => {
      const made = await core.suppressions.create(scope, uncheckedInput({ email, reason }))
      return { value: made, text: `${made.email} gets nothing any more` }
    },
  }),
  deleteVerb('let an address get mail again', ['<id>', 'id of the entry, as list shows it'], ({ core, scope }, id) =>
    core.suppressions.remove(scope, id),
  ),
])

export const senderCommands = resourceCommands('sender', 'From addresses of the project; the first is the default', [
  listVerb<SenderIdentityView>({
    about: 'sender identities, the default first',
    columns: {
      ID: ({ _id }) => _id,
      ADDRESS: ({ email }) => email,
      NAME: ({ name }) => name,
      REGION: ({ region }) => region,
    },
    none: () => 'There is no sender yet.',
    list: async ({ core, scope }, page) => pageOfSlice(await core.senderIdentities.list(scope), page),
  }),
  projectCommandVerb<{ readonly name?: string; readonly region?: string }>({
    name: 'create',
    about: 'add a From address; you answer for its domain',
    takes: [['<address>', 'what recipients see']],
    options: () => [
      new Option('--name <name>', 'shown beside the address'),
      new Option('--region <region>', 'where its domain sends; the first of the server’s regions unless given'),
    ],
    run: async ({ core, scope }, [email], { name, region }) => {
      const [first] = (await core.domains.regions(scope)).regions
      const made = await core.senderIdentities.create(scope, uncheckedInput({ email, name, region: region ?? first }))
      return { value: made, text: `Sender ${made._id} (${made.email}, ${made.region})` }
    },
  }),
  projectCommandVerb({
    name: 'default',
    about: 'make a sender the default',
    takes: [['<id>', 'id of the sender']],
    run: async ({ core, scope }, [id = '']) => {
      const front = await core.senderIdentities.setDefault(scope, id)
      return { value: front, text: `${front.email} is the default` }
    },
  }),
  deleteVerb('remove a sender', ['<id>', 'id of the sender'], ({ core, scope }, id) =>
    core.senderIdentities.remove(scope, id),
  ),
])
