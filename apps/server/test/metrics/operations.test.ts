import { readFileSync } from 'node:fs'
import { deliveryMarks } from '@posthorn/core/ports/storage'
import { failureClasses } from '@posthorn/core/ports/transport'
import { beforeAll, describe, expect, it } from 'vitest'
import { askedBy } from './expressions.js'
import { meteredWorld } from './metered-world.js'

const read = (path: string) => readFileSync(new URL(`../../../../docs/${path}`, import.meta.url), 'utf8')
const operations = read('operations.md')
const sorted = (names: Iterable<string>) => [...names].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))

type Exported = {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labelNames: readonly string[]
}

let exported: ReadonlyMap<string, Exported> = new Map()
beforeAll(async () => {
  const { metrics } = await meteredWorld()
  // Every metric has these fields; the declarations of the package leave them out.
  const all = metrics.registry.getMetricsAsArray() as unknown as readonly Exported[]
  const types = new Map((await metrics.registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]))
  exported = new Map(all.map((one) => [one.name, { ...one, type: types.get(one.name) ?? '' }]))
})

/** A row of a table, cell by cell. */
const rowsOf = (section: string): readonly (readonly string[])[] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
const sectionOf = (heading: string) => operations.split(`${heading}\n`)[1]?.split(/\n#{2,3} /)[0] ?? ''
const documented = rowsOf(sectionOf('## What is measured')).map(([name = '', labels = '', says = '']) => ({
  name: name.replaceAll('`', ''),
  labels,
  says,
}))

/** Prometheus's own labels, and those that it gives to what it scrapes. */
const everywhere = ['le', 'job', 'instance']
const ofPrometheus = new Set(['up'])

const metricOf = (series: string): Exported | undefined => {
  const histogram = exported.get(series.replace(/_(?:bucket|sum|count)$/, ''))
  return histogram?.type === 'histogram' ? histogram : exported.get(series)
}

/** What is wrong with an expression: metrics and labels that there are not. */
const faultsOf = (expression: string): readonly string[] => {
  const { series, groups } = askedBy(expression)
  const known = series.filter(({ metric }) => !ofPrometheus.has(metric))
  const labelsOf = (metric: string) => [...(metricOf(metric)?.labelNames ?? []), ...everywhere]
  const all = new Set([...everywhere, ...series.flatMap(({ metric }) => labelsOf(metric))])
  return [
    ...(series.length === 0 ? ['asks for nothing'] : []),
    ...known.filter(({ metric }) => !metricOf(metric)).map(({ metric }) => `no metric ${metric}`),
    ...known.flatMap(({ metric, labels }) =>
      labels.filter((one) => !labelsOf(metric).includes(one)).map((one) => `${metric} has no label ${one}`),
    ),
    ...groups.filter((one) => !all.has(one)).map((one) => `nothing has a label ${one}`),
  ]
}

describe('the parser of expressions', () => {
  it('finds metrics, labels and groups', () => {
    const expression =
      'histogram_quantile(0.99, sum by (le, port) (rate(a_bucket{job=~"x|y", port!="z"}[5m]))) > 1.5e9 and on () (max(b) or vector(0)) == 0'
    expect(askedBy(expression)).toEqual({
      series: [
        { metric: 'a_bucket', labels: ['job', 'port'] },
        { metric: 'b', labels: [] },
      ],
      groups: ['le', 'port'],
    })
  })

  it('reports metrics and labels that do not exist', () => {
    expect(faultsOf('rate(posthorn_mails_total{kind="a"}[5m])')).toEqual([])
    expect(faultsOf('sum by (lane) (posthorn_mail_total)')).toEqual([
      'no metric posthorn_mail_total',
      'nothing has a label lane',
    ])
    expect(faultsOf('posthorn_mails_total{project="a"}')).toEqual(['posthorn_mails_total has no label project'])
    expect(faultsOf('posthorn_store_duration_seconds_bucket')).toEqual([])
    expect(faultsOf('posthorn_store_up_bucket')).toEqual(['no metric posthorn_store_up_bucket'])
  })
})

describe('the metrics documentation', () => {
  it('describes exactly Posthorn’s metrics', () => {
    const own = [...exported.keys()].filter((name) => name.startsWith('posthorn_'))
    expect(own.length).toBeGreaterThan(20)
    expect(sorted(documented.map(({ name }) => name).filter((name) => name.startsWith('posthorn_')))).toEqual(
      sorted(own),
    )
    expect(documented.filter(({ name }) => !exported.has(name))).toEqual([])
    expect(documented.filter(({ says }) => says === '')).toEqual([])
  })

  it('names their labels', () => {
    const described = documented.map(({ name, labels }) => [name, sorted(labels.match(/`\w+`/g) ?? [])])
    const actual = documented.map(({ name }) => [
      name,
      sorted((exported.get(name)?.labelNames ?? []).map((label) => `\`${label}\``)),
    ])
    expect(described).toEqual(actual)
  })

  it('finds only conventional names: counters end in total, times are seconds', () => {
    const own = [...exported.values()].filter(({ name }) => name.startsWith('posthorn_'))
    expect(own.filter(({ name, type }) => (type === 'counter') !== name.endsWith('_total'))).toEqual([])
    expect(own.filter(({ name }) => /milli|_ms\b|minutes|hours/.test(name))).toEqual([])
    expect(own.filter(({ help }) => help === '')).toEqual([])
  })

  it('names the values of labels', () => {
    const classes = rowsOf(sectionOf('### Classes of failures')).map(([name = '']) => name.replaceAll('`', ''))
    expect(classes).toEqual([...failureClasses])
    const events = documented.find(({ name }) => name === 'posthorn_mail_events_total')?.labels ?? ''
    expect(deliveryMarks.filter((mark) => !events.includes(mark))).toEqual([])
  })
})

describe('the alerts', () => {
  const text = read('operations/alerts.yml')
  const rules = text
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((rule) => ({
      name: rule.split('\n')[0] ?? '',
      expression: /^ {8}expr: (.+)$/m.exec(rule)?.[1] ?? '',
      severity: /^ {8}labels: \{ severity: (critical|warning) \}$/m.exec(rule)?.[1],
      summary: /^ {10}summary: "(.+)"$/m.exec(rule)?.[1],
    }))

  it('use only existing metrics and labels', () => {
    expect(rules.length).toBeGreaterThan(15)
    expect(rules.map(({ name, expression }) => ({ name, faults: faultsOf(expression) }))).toEqual(
      rules.map(({ name }) => ({ name, faults: [] })),
    )
  })

  it('have a severity and a summary', () => {
    expect(rules.filter(({ severity, summary }) => !severity || !summary)).toEqual([])
  })

  it('have one section each that says what to do', () => {
    const sections = [...(operations.split('\n## Alerts\n')[1] ?? '').matchAll(/^### (\w+)\n\n(.+)/gm)]
    expect(sections.map(([, name]) => name)).toEqual(rules.map(({ name }) => name))
  })
})

describe('the dashboard', () => {
  type Panel = {
    readonly id: number
    readonly type: string
    readonly title: string
    readonly description?: string
    readonly gridPos: { readonly x: number; readonly w: number }
    readonly targets?: readonly { readonly expr: string }[]
  }
  const { panels } = JSON.parse(read('operations/grafana-dashboard.json')) as { readonly panels: readonly Panel[] }
  const shown = panels.filter(({ type }) => type !== 'row')
  const expressions = shown.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

  it('uses only existing metrics and labels', () => {
    expect(expressions.length).toBeGreaterThan(20)
    expect(expressions.flatMap(faultsOf)).toEqual([])
  })

  it('shows every metric of Posthorn', () => {
    const asked = new Set(expressions.flatMap((one) => askedBy(one).series).map(({ metric }) => metricOf(metric)?.name))
    expect([...exported.keys()].filter((name) => name.startsWith('posthorn_') && !asked.has(name))).toEqual([])
  })

  it('has unique panels with a title and description that fit in their rows', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(shown.filter(({ title, description = '' }) => title === '' || description === '')).toEqual([])
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
  })
})
