import { badRequest, exists, notFound } from './ses-error.js'

type Fields = Readonly<Record<string, unknown>>

/** An event destination: events of these types go to this SNS topic. */
export type EventDestination = {
  readonly name: string
  readonly enabled: boolean
  readonly types: readonly string[]
  readonly topicArn: string
}

const nameForm = /^[A-Za-z0-9_-]{1,64}$/
const topicForm = /^arn:aws[a-z-]*:sns:[a-z0-9-]{1,40}:\d{12}:[A-Za-z0-9_.-]{1,256}$/

const destinationOf = (name: unknown, given: unknown): EventDestination => {
  const { Enabled, MatchingEventTypes, SnsDestination } = (given ?? {}) as {
    readonly Enabled?: boolean
    readonly MatchingEventTypes?: readonly string[]
    readonly SnsDestination?: { readonly TopicArn?: string }
  }
  const topicArn = SnsDestination?.TopicArn ?? ''
  if (typeof name !== 'string' || !nameForm.test(name)) throw badRequest('EventDestinationName is not valid.')
  if (!topicForm.test(topicArn)) throw badRequest(`Invalid SNS topic <${topicArn}>.`)
  if (!MatchingEventTypes?.length) throw badRequest('MatchingEventTypes must not be empty.')
  return { name, enabled: Enabled ?? false, types: MatchingEventTypes, topicArn }
}

/** The configuration sets of one account in one region. */
export const configurationSetStore = () => {
  const sets = new Map<string, Map<string, EventDestination>>()
  const stored = (name: string) => {
    const found = sets.get(name)
    if (!found) throw notFound('Configuration set', name)
    return found
  }
  return {
    create: (name: unknown) => {
      if (typeof name !== 'string' || !nameForm.test(name)) throw badRequest('ConfigurationSetName is not valid.')
      if (sets.has(name)) throw exists('Configuration set', name)
      sets.set(name, new Map())
      return {}
    },
    get: (name: string) => {
      stored(name)
      return { ConfigurationSetName: name, SendingOptions: { SendingEnabled: true } }
    },
    remove: (name: string) => {
      stored(name)
      sets.delete(name)
      return {}
    },
    addDestination: (set: string, { EventDestinationName, EventDestination }: Fields) => {
      const destinations = stored(set)
      const made = destinationOf(EventDestinationName, EventDestination)
      if (destinations.has(made.name)) throw exists('Event destination', made.name)
      destinations.set(made.name, made)
      return {}
    },
    showDestinations: (set: string) => ({
      EventDestinations: [...stored(set).values()].map(({ name, enabled, types, topicArn }) => ({
        Name: name,
        Enabled: enabled,
        MatchingEventTypes: types,
        SnsDestination: { TopicArn: topicArn },
      })),
    }),
    removeDestination: (set: string, name: string) => {
      if (!stored(set).delete(name)) throw notFound('Event destination', name)
      return {}
    },
    /** @throws SesError if the set does not exist */
    destinations: (set: string): readonly EventDestination[] => [...stored(set).values()].filter((one) => one.enabled),
    has: (name: string): boolean => sets.has(name),
    names: (): readonly string[] => [...sets.keys()],
  }
}
export type ConfigurationSetStore = ReturnType<typeof configurationSetStore>
