import type { Hit } from '@posthorn/core/ports'
import { type AgentName, agents } from './agents.js'

/** A hit, and who made it. */
export type LabelledHit = Hit & { readonly by: 'person' | 'machine' }

/** Everything that was asked of one mail, in order, with who it was. */
export type RequestSequence = {
  readonly name: string
  /** What happened. */
  readonly what: string
  readonly deliveredAt: string
  readonly hits: readonly LabelledHit[]
}

/** When every sample was delivered. */
const deliveredAt = '2026-03-02T09:00:00.000Z'

type More = { readonly method?: string; readonly headers?: Readonly<Record<string, string>> }

const hit =
  (by: LabelledHit['by'], kind: Hit['kind']) =>
  (
    seconds: number,
    agent: AgentName | '',
    link?: number,
    { method = 'GET', headers = {} }: More = {},
  ): LabelledHit => ({
    by,
    kind,
    method,
    at: new Date(Date.parse(deliveredAt) + seconds * 1000).toISOString(),
    ...(link === undefined ? {} : { link }),
    headers: { ...(agent === '' ? {} : { 'user-agent': agents[agent] }), ...headers },
  })

/** A person's request, so many seconds after delivery. */
export const person = { opens: hit('person', 'open'), clicks: hit('person', 'click') }

/** A machine's request, so many seconds after delivery. */
export const machine = {
  opens: hit('machine', 'open'),
  clicks: hit('machine', 'click'),
  falls: (seconds: number, agent: AgentName | '', more?: More) =>
    hit('machine', 'trap')(seconds, agent, undefined, more),
}

/** A machine's clicks on links from 0, so many seconds apart, with these names in turn. */
export const sweep = (
  from: number,
  links: number,
  every: number,
  names: readonly (AgentName | '')[],
  more: More = {},
): readonly LabelledHit[] =>
  Array.from({ length: links }, (_, link) =>
    machine.clicks(from + link * every, names[link % names.length] ?? '', link, more),
  )

/** The sequence of these hits, in the order of their times. */
export const sequence = (name: string, what: string, ...hits: readonly LabelledHit[]): RequestSequence => ({
  name,
  what,
  deliveredAt,
  hits: hits.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
})
