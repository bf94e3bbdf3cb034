import { setTimeout as pause } from 'node:timers/promises'
import { type Bed, type BenchOptions, costs, percentiles, type Result, resultOf, type Served } from '../row.js'
import { type Newsletter, newsletter } from './content.js'
import { type Api, apiOf, type Installation } from './installation.js'

/** Mails that the bare loop sends at most: enough for its rate to stand still. */
const mostBare = 50_000

/** Plans a campaign to the whole list, whose time has come. Answers its id. */
export const startCampaign = (api: Api, listId: string, content: Newsletter = newsletter): Promise<string> =>
  api.made('/campaigns', {
    name: 'News',
    ...content,
    timeZone: 'UTC',
    subscriberListId: listId,
    status: 'scheduled',
    scheduledTo: '2020-01-01T00:00:00Z',
  })

/** Waits until the ledger has everybody's outcome. @throws Error where the campaign has failed */
export const campaignEnds = async (api: Api, id: string): Promise<void> => {
  for (;;) {
    const { status, errorMessage } = await api.get(`/campaigns/${id}`)
    if (status === 'sent') return
    if (status === 'error') throw new Error(`The campaign failed: ${String(errorMessage)}`)
    await pause(50)
  }
}

/** How long each hundred mails took to come, one after the other, in milliseconds. */
export const pacesOf = (moments: readonly number[]): readonly number[] =>
  moments.slice(1).map((at, i) => at - (moments[i] ?? at))

const bareRateOf = async ({ sink }: Served, contacts: number, bytes: number) => {
  await sink.reset()
  return sink.bareRate(Math.min(mostBare, Math.max(contacts, 1_000)), bytes)
}

/** A campaign to everybody of that installation, from its planning until the ledger is complete, and the bare loop after it. */
export const measureCampaign = (
  { serving }: Pick<Bed, 'serving'>,
  name: string,
  installation: Installation,
  mailer: BenchOptions['mailer'],
  content?: Newsletter,
): Promise<Result> =>
  serving(
    installation,
    async (served) => {
      const { server, sink, metered } = served
      const { contacts, projectId, listId } = installation
      const api = apiOf(server.base, projectId)
      const planned = performance.timeOrigin + performance.now()
      const { value: seconds, used } = await metered(async () => {
        const started = performance.now()
        await campaignEnds(api, await startCampaign(api, listId, content))
        return (performance.now() - started) / 1000
      })
      const { mails, bytes, first, moments } = await sink.report()
      if (mails !== contacts) throw new Error(`${mails} mails came of ${contacts}`)
      const size = Math.round(bytes / mails)
      return resultOf({
        name,
        recipients: contacts,
        rate: contacts / seconds,
        unit: 'mails',
        bareRate: await bareRateOf(served, contacts, size),
        ...percentiles(pacesOf(moments)),
        ...costs(used, contacts),
        more: { mailer, bytes: size, firstMailMs: Math.round(first - planned) },
      })
    },
    mailer,
  )
