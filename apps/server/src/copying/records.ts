import type { Clock } from '@posthorn/core/ports/runtime'
import {
  creditCounterKey,
  domainOf,
  type Figure,
  type FigureMetric,
  figureSubject,
  KeyTaken,
  monthCounterKey,
  type Repository,
  records,
  type StoredRecord,
  sandboxDayKey,
} from '@posthorn/core/ports/storage'
import { sameData } from './checksum.js'
import {
  type CopiedDataOwner,
  type CopiedOwnerRecords,
  type CopyEnds,
  CopyFailure,
  type CopySource,
  inPages,
  repositoryOf,
  sourceRepositoryOf,
} from './stores.js'

/** Records per write. */
const pageSize = 200

/** Overwrites what an interrupted copy wrote. */
const put = async (
  repository: Repository<StoredRecord>,
  { kind, where }: CopiedOwnerRecords,
  record: StoredRecord,
): Promise<void> => {
  try {
    await repository.add(record)
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    // Of the same owner only: a record of another project is not this one's to change.
    const there = await repository.change({ ...where, _id: record._id }, (one) =>
      sameData(one, record) ? one : record,
    )
    if (!there)
      throw new CopyFailure(
        `${records[kind].noun} ${record._id} cannot be copied: there is another one with the same ${error.fields.join(' and ')}.`,
      )
  }
}

/** `copied` gets the size of each page. */
export const copyRecords = async ({ from, to }: CopyEnds, share: CopiedOwnerRecords, copied: (n: number) => void) => {
  const { kind, where } = share
  const target = repositoryOf(to.repositories, kind)
  for await (const page of inPages(sourceRepositoryOf(from.repositories, kind).each(where), pageSize)) {
    await Promise.all(page.map((record) => put(target, share, record)))
    copied(page.length)
  }
}

export type UsageCounterValue = { readonly key: string; readonly used: number }

/** An account's credit, and its projects' daily and monthly mails. */
const keysOf = ({ of, id }: CopiedDataOwner, now: Date): readonly string[] =>
  of === 'account' ? [creditCounterKey(id)] : [sandboxDayKey(id, now), monthCounterKey(id, now)]

export const usageCountersOf = async (
  { counters }: Pick<CopySource, 'counters'>,
  owner: CopiedDataOwner,
  clock: Clock,
): Promise<readonly UsageCounterValue[]> =>
  Promise.all(keysOf(owner, clock()).map(async (key) => ({ key, used: await counters.used(key) })))

export const copyCounters = async ({ from, to }: CopyEnds, owner: CopiedDataOwner, clock: Clock): Promise<void> => {
  for (const { key, used } of await usageCountersOf(from, owner, clock)) {
    const missing = used - (await to.counters.used(key))
    if (missing > 0) await to.counters.take([{ key, n: missing }])
    if (missing < 0) await to.counters.give({ key, n: -missing })
  }
}

const subjectsOf = async ({ repositories }: CopySource, projectId: string): Promise<ReadonlySet<string>> => {
  const subjects = new Set([figureSubject.project(projectId)])
  const { campaigns, triggeredEmails, transactionalEmails, subscriberLists, contents, emailLinks } = repositories
  for (const emails of [campaigns, triggeredEmails, transactionalEmails])
    for await (const { _id } of emails.each({ projectId })) subjects.add(figureSubject.email(_id))
  for await (const { _id, links } of emailLinks.each({ projectId }))
    for (const place of [...links.keys(), 'others'] as const) subjects.add(figureSubject.link(_id, place))
  for await (const { _id } of subscriberLists.each({ projectId })) subjects.add(figureSubject.list(_id))
  for await (const { from } of contents.each({ projectId }))
    subjects.add(figureSubject.domain(projectId, domainOf(from.email), from.region))
  return subjects
}

const figuresOfSubject = async (figures: CopySource['figures'], subject: string): Promise<readonly Figure[]> => {
  const metrics = Object.keys(await figures.totals(subject, {})) as FigureMetric[]
  const slots = metrics.map(async (metric) =>
    (await figures.slots(subject, metric, {})).map((slot): Figure => ({ subject, metric, ...slot })),
  )
  return (await Promise.all(slots)).flat()
}

/** `figures` supplies the values. */
export const projectFiguresToCopy = async function* (
  from: CopySource,
  projectId: string,
  figures: CopySource['figures'],
): AsyncGenerator<Figure> {
  for (const subject of await subjectsOf(from, projectId)) yield* await figuresOfSubject(figures, subject)
}

const placeOf = ({ subject, metric, slot }: Figure) => `${slot} ${metric} ${subject}`

/** Adds only the difference, so that repeated copies are correct. */
export const copyFigures = async ({ from, to }: CopyEnds, projectId: string): Promise<void> => {
  for (const subject of await subjectsOf(from, projectId)) {
    const there = new Map((await figuresOfSubject(to.figures, subject)).map((one) => [placeOf(one), one.n]))
    const missing = (await figuresOfSubject(from.figures, subject))
      .map((one) => ({ ...one, n: one.n - (there.get(placeOf(one)) ?? 0) }))
      .filter(({ n }) => n !== 0)
    if (missing.length > 0) await to.figures.add(missing)
  }
}
