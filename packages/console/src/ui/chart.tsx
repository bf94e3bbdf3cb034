import { useText } from '../text/text.js'
import css from './chart.module.css'

export type ChartPoint = { readonly label: string; readonly people: number; readonly machines: number }

const [width, height, left, bottom] = [640, 240, 48, 24]

export const niceMaximum = (value: number): number => {
  if (value <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 5, 10].map((one) => one * power).find((one) => one >= value) ?? 10 * power
}

/** People up, machines down, on one scale, so that neither hides the other. */
export const PeopleChart = ({ title, points }: { readonly title: string; readonly points: readonly ChartPoint[] }) => {
  const { number } = useText()
  const most = niceMaximum(Math.max(...points.flatMap(({ people, machines }) => [people, machines]), 1))
  const plot = height - bottom
  const zero = plot / 2
  const scale = (zero - 12) / most
  const step = (width - left) / Math.max(points.length, 1)
  const every = Math.ceil(points.length / 6)
  return (
    <svg className={css.chart} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
      <title>{title}</title>
      {[most, most / 2, 0, -most / 2, -most].map((value) => (
        <g key={value}>
          <line
            className={value === 0 ? css.axis : css.grid}
            x1={left}
            x2={width}
            y1={zero - value * scale}
            y2={zero - value * scale}
          />
          <text x={left - 6} y={zero - value * scale + 4} textAnchor="end">
            {number(Math.abs(value))}
          </text>
        </g>
      ))}
      {points.map(({ label, people, machines }, at) => (
        <g key={label}>
          <rect
            className={css.people}
            x={left + at * step + 1}
            width={Math.max(step - 2, 1)}
            y={zero - people * scale}
            height={people * scale}
          />
          <rect
            className={css.machines}
            x={left + at * step + 1}
            width={Math.max(step - 2, 1)}
            y={zero + 1}
            height={machines * scale}
          />
          {at % every === 0 && (
            <text x={left + at * step + 2} y={height - 6}>
              {label}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

export type MailsPoint = { readonly label: string; readonly sent: number; readonly failed: number }

/** Of a chart in the smaller column. */
const narrow = 400

/** Sent mails with the failed ones above them. */
export const MailsChart = ({ title, points }: { readonly title: string; readonly points: readonly MailsPoint[] }) => {
  const { number } = useText()
  const most = niceMaximum(Math.max(...points.map(({ sent, failed }) => sent + failed), 1))
  const [top, floor] = [10, 170]
  const scale = (floor - top) / most
  const step = (narrow - left) / Math.max(points.length, 1)
  const every = Math.ceil(points.length / 4)
  return (
    <svg className={css.chart} viewBox={`0 0 ${narrow} 194`} role="img" aria-label={title}>
      <title>{title}</title>
      {[0, most / 2, most].map((value) => (
        <g key={value}>
          <line
            className={value === 0 ? css.axis : css.grid}
            x1={left}
            x2={narrow}
            y1={floor - value * scale}
            y2={floor - value * scale}
          />
          <text x={left - 6} y={floor - value * scale + 4} textAnchor="end">
            {number(value)}
          </text>
        </g>
      ))}
      {points.map(({ label, sent, failed }, at) => {
        const place = { x: left + at * step + 1, width: Math.max(step - 2, 1) }
        return (
          <g key={label}>
            <rect className={css.people} {...place} y={floor - sent * scale} height={sent * scale} />
            <rect className={css.failed} {...place} y={floor - (sent + failed) * scale} height={failed * scale} />
            {at % every === 0 && (
              <text x={left + at * step + 2} y={190}>
                {label}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}

export type RatePoint = { readonly at: number; readonly perSecond: number }

export const PaceChart = ({ title, points }: { readonly title: string; readonly points: readonly RatePoint[] }) => {
  const { number, time } = useText()
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return null
  const most = niceMaximum(Math.max(...points.map(({ perSecond }) => perSecond), 1))
  const [top, floor] = [10, 130]
  const x = (at: number) => left + ((at - first.at) / Math.max(last.at - first.at, 1)) * (width - left - 8)
  const y = (value: number) => floor - (value / most) * (floor - top)
  const line = points.map(({ at, perSecond }) => `${x(at).toFixed(1)},${y(perSecond).toFixed(1)}`).join(' ')
  return (
    <svg className={css.chart} viewBox={`0 0 ${width} 154`} role="img" aria-label={title}>
      <title>{title}</title>
      {[0, most / 2, most].map((value) => (
        <g key={value}>
          <line className={value === 0 ? css.axis : css.grid} x1={left} x2={width} y1={y(value)} y2={y(value)} />
          <text x={left - 6} y={y(value) + 4} textAnchor="end">
            {number(value)}
          </text>
        </g>
      ))}
      <polygon className={css.area} points={`${x(first.at)},${floor} ${line} ${x(last.at)},${floor}`} />
      <polyline className={css.rate} points={line} />
      <text x={left} y={150}>
        {time(first.at)}
      </text>
      <text x={width - 8} y={150} textAnchor="end">
        {time(last.at)}
      </text>
    </svg>
  )
}

/** The same numbers for people who cannot see the chart. */
export const ChartTable = ({
  title,
  points,
  labels,
}: {
  readonly title: string
  readonly points: readonly ChartPoint[]
  /** Of the two columns; default: people and machines. */
  readonly labels?: readonly [string, string]
}) => {
  const { say, number } = useText()
  const [first, second] = labels ?? [say('people'), say('machines')]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={css.scroll} tabIndex={0} aria-label={title}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{say('time')}</th>
            <th scope="col">{first}</th>
            <th scope="col">{second}</th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ label, people, machines }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{number(people)}</td>
              <td>{number(machines)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
