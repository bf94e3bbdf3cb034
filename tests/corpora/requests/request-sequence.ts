import type { Hit } from '@posthorn/core/ports/transport'
import { agents } from './agents.js'

/** A hit, labelled with its author. */
export type LabelledHit = Hit & { readonly by: 'person' | 'machine' }

/** All requests for one mail, in order. */
export type RequestSequence = {
  readonly name: string
  /** A description of the sequence. */
  readonly what: string
  readonly deliveredAt: string
  readonly hits: readonly LabelledHit[]
}

const deliveredAt = '2026-03-02T09:00:00.000Z'

type More = { readonly method?: string; readonly headers?: Readonly<Record<string, string>> }

/** Builds hits of people and machines. `User-Agent` headers are named by their keys in `agents`; `''` sends none. */
export const hitsBy = <Name extends string>(agents: Readonly<Record<Name, string>>) => {
  const hit =
    (by: LabelledHit['by'], kind: Hit['kind']) =>
    (seconds: number, agent: Name | '', link?: number, { method = 'GET', headers = {} }: More = {}): LabelledHit => ({
      by,
      kind,
      method,
      at: new Date(Date.parse(deliveredAt) + seconds * 1000).toISOString(),
      ...(link === undefined ? {} : { link }),
      headers: { ...(agent === '' ? {} : { 'user-agent': agents[agent] }), ...headers },
    })

  const machine = {
    opens: hit('machine', 'open'),
    clicks: hit('machine', 'click'),
    falls: (seconds: number, agent: Name | '', more?: More) => hit('machine', 'trap')(seconds, agent, undefined, more),
  }

  return {
    /** A person's request, in seconds after delivery. */
    person: { opens: hit('person', 'open'), clicks: hit('person', 'click') },
    /** A machine's request, in seconds after delivery. */
    machine,
    /** A machine's clicks on links from 0, `every` seconds apart, with these agents in turn. */
    sweep: (from: number, links: number, every: number, names: readonly (Name | '')[], more: More = {}) =>
      Array.from({ length: links }, (_, link) =>
        machine.clicks(from + link * every, names[link % names.length] ?? '', link, more),
      ),
  }
}

export const { person, machine, sweep } = hitsBy(agents)

/** The sequence of these hits, ordered by time. */
export const sequence = (name: string, what: string, ...hits: readonly LabelledHit[]): RequestSequence => ({
  name,
  what,
  deliveredAt,
  hits: hits.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
})
