import { domainOf, type Figure, type Figures, type Metric, subjectOf } from '@posthorn/core/ports/storage'
import type { CopiedStore, Ends } from './stores.js'

/** Every subject of a project's figures. */
const subjectsOf = async ({ repositories }: CopiedStore, projectId: string): Promise<ReadonlySet<string>> => {
  const subjects = new Set([subjectOf.project(projectId)])
  const { campaigns, triggeredEmails, transactionalEmails, subscriberLists, contents, emailLinks } = repositories
  for (const emails of [campaigns, triggeredEmails, transactionalEmails])
    for await (const { _id } of emails.each({ projectId })) subjects.add(subjectOf.email(_id))
  for await (const { _id, links } of emailLinks.each({ projectId }))
    for (const place of [...links.keys(), 'others'] as const) subjects.add(subjectOf.link(_id, place))
  for await (const { _id } of subscriberLists.each({ projectId })) subjects.add(subjectOf.list(_id))
  for await (const { from } of contents.each({ projectId }))
    subjects.add(subjectOf.domain(projectId, domainOf(from.email), from.region))
  return subjects
}

const figuresOfSubject = async (figures: Figures, subject: string): Promise<readonly Figure[]> => {
  const metrics = Object.keys(await figures.totals(subject, {})) as Metric[]
  const slots = metrics.map(async (metric) =>
    (await figures.slots(subject, metric, {})).map((slot): Figure => ({ subject, metric, ...slot })),
  )
  return (await Promise.all(slots)).flat()
}

/** Every figure of a project's subjects known to the store; `figures` supplies the values. */
export const figuresOfProject = async function* (
  from: CopiedStore,
  projectId: string,
  figures: Figures,
): AsyncGenerator<Figure> {
  for (const subject of await subjectsOf(from, projectId)) yield* await figuresOfSubject(figures, subject)
}

const placeOf = ({ subject, metric, slot }: Figure) => `${slot} ${metric} ${subject}`

/** Adds the difference at the target, so that repeated copies are correct. */
export const copyFigures = async ({ from, to }: Ends, projectId: string): Promise<void> => {
  for (const subject of await subjectsOf(from, projectId)) {
    const there = new Map((await figuresOfSubject(to.figures, subject)).map((one) => [placeOf(one), one.n]))
    const missing = (await figuresOfSubject(from.figures, subject))
      .map((one) => ({ ...one, n: one.n - (there.get(placeOf(one)) ?? 0) }))
      .filter(({ n }) => n !== 0)
    if (missing.length > 0) await to.figures.add(missing)
  }
}
