import { type Html, html } from '@posthorn/core/ports/transport'

export type Bar = { readonly n: number; readonly label: string }

export type AxisTick = { readonly at: number; readonly label: string }

const percent = (part: number): string => `${Number((100 * part).toFixed(3))}%`

/** Pixels. Widths are percentages. */
const height = 64

/** Screen readers read title and description; a table has the numbers. */
export const barChart = (
  id: string,
  bars: readonly Bar[],
  {
    title,
    description,
    ticks,
  }: { readonly title: string; readonly description: string; readonly ticks: readonly AxisTick[] },
): Html => {
  const peak = Math.max(1, ...bars.map(({ n }) => n))
  const step = 1 / Math.max(1, bars.length)
  const drawn = bars.flatMap(({ n, label }, index) => {
    if (n === 0) return []
    const tall = Math.max(1.5, (height * n) / peak)
    return html`<rect x="${percent((index + 0.12) * step)}" y="${(height - tall).toFixed(1)}" width="${percent(0.76 * step)}" height="${tall.toFixed(1)}" rx="1"><title>${label}</title></rect>`
  })
  const lines = ticks.flatMap(({ at }) =>
    at === 0
      ? []
      : html`<line class="tick" x1="${percent(at * step)}" x2="${percent(at * step)}" y1="0" y2="${height}"/>`,
  )
  return html`<svg class="chart" width="100%" height="${height + 1}" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>${lines}${drawn}<line class="base" x1="0" x2="100%" y1="${height + 0.5}" y2="${height + 0.5}"/></svg>`
}

export const axis = (ticks: readonly AxisTick[], n: number): Html =>
  html`<svg class="axis" width="100%" height="20" aria-hidden="true">${ticks.map(({ at, label }) => {
    const part = at / Math.max(1, n)
    const anchor = part < 0.04 ? 'start' : part > 0.9 ? 'end' : 'middle'
    return html`<text x="${percent(part)}" y="14" text-anchor="${anchor}">${label}</text>`
  })}</svg>`

export const shareBar = (part: number, kind = 'sent'): Html =>
  html`<svg class="share" width="100%" height="6" aria-hidden="true"><rect class="rail" width="100%" height="6" rx="2"/><rect class="${kind}" width="${percent(Math.min(1, Math.max(0, part)))}" height="6" rx="2"/></svg>`

/** Every part above zero stays visible. */
export const stackedBar = (
  id: string,
  parts: readonly { readonly kind: string; readonly n: number }[],
  { title, description }: { readonly title: string; readonly description: string },
): Html => {
  const some = parts.filter(({ n }) => n > 0)
  const all = some.reduce((sum, { n }) => sum + n, 0)
  const least = 0.006
  const widths = some.map(({ n }) => Math.max(least, n / Math.max(1, all)))
  const sum = widths.reduce((total, width) => total + width, 0)
  let from = 0
  const drawn = some.map(({ kind }, index) => {
    const width = (widths[index] ?? 0) / sum
    const rect = html`<rect class="${kind}" x="${percent(from)}" width="${percent(width)}" height="18"/>`
    from += width
    return rect
  })
  const gaps = drawn.slice(1).map((_, index) => {
    const at = percent(widths.slice(0, index + 1).reduce((total, width) => total + width, 0) / sum)
    return html`<line class="gap" x1="${at}" x2="${at}" y1="0" y2="18"/>`
  })
  return html`<svg class="stack" width="100%" height="18" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc><rect class="rail" width="100%" height="18"/>${drawn}${gaps}</svg>`
}

export const swatch = (kind: string): Html =>
  html`<svg class="swatch" width="10" height="10" aria-hidden="true"><rect class="${kind}" width="10" height="10" rx="2"/></svg>`
