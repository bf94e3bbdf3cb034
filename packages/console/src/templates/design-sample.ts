import type { DesignSystem } from '../api/types.js'
import { type DesignEdits, type DesignEntry, type DesignGroup, entriesOf, type Style } from './design-entries.js'

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const cssOf = (style: Style): string =>
  Object.entries(style)
    .map(([name, value]) => `${name.replace(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`)}:${String(value)}`)
    .join(';')

const textOf = (value: DesignEntry['value']): string => escaped(typeof value === 'string' ? value : '')

const styled = (tag: string, { name, value }: DesignEntry, attributes = ''): string =>
  `<${tag} style="${escaped(typeof value === 'string' ? '' : cssOf(value))}"${attributes}>${escaped(name)}</${tag}>`

export const sampleMail = (design: DesignSystem, edits: DesignEdits): string => {
  const all = (category: DesignGroup['category'], key: DesignGroup['key']) =>
    entriesOf(design, { category, key }, edits)
  const variable = (key: DesignGroup['key'], name: string): string => {
    const value = all('variables', key).find((entry) => entry.name === name)?.value
    return escaped(typeof value === 'string' ? value : '')
  }
  const color = (name: string) => variable('colors', name)
  const swatches = all('variables', 'colors').map(
    ({ name, value }) =>
      `<span style="display:inline-block;margin:0 12px 8px 0;font-size:12px"><span style="display:inline-block;width:16px;height:16px;vertical-align:middle;border:1px solid #8888;background:${textOf(value)}"></span> ${escaped(name)}</span>`,
  )
  const stacks = all('font', 'stacks').map(
    ({ name, value }) => `<p style="margin:0 0 4px;font-family:${textOf(value)}">${escaped(name)}: Aa Bb Cc 123</p>`,
  )
  const textStyles = all('components', 'texts').map((entry) => styled('p', entry))
  const buttons = all('components', 'buttons').map(
    (entry) => `<p>${styled('span', { ...entry, value: { display: 'inline-block', ...(entry.value as Style) } })}</p>`,
  )
  const dividers = all('components', 'dividers').map(
    ({ value }) => `<div style="${escaped(cssOf(value as Style))}"></div>`,
  )
  const logo = all('variables', 'images').find(({ name }) => name === 'logo')
  const images = all('components', 'images').map(({ name, value }) => {
    const style = typeof value === 'string' ? '' : cssOf(value)
    // The base's address is an example, where there is no image.
    return logo?.overridden === true
      ? `<img alt="${escaped(name)}" src="${textOf(logo.value)}" style="${escaped(style)}">`
      : `<span style="display:inline-block;min-height:32px;background:#8883;${escaped(style)}">${escaped(name)}</span>`
  })
  const body = `font-family:${variable('fontStacks', 'body')};font-size:16px;line-height:26px;color:${color('text')}`
  return `<body style="margin:0;padding:24px;background:${color('background')}"><div style="max-width:560px;margin:0 auto;padding:24px;background:${color('surface')};border:1px solid ${color('border')};${body}">
<h1 style="margin:0 0 16px;font-family:${variable('fontStacks', 'heading')};color:${color('heading')}">${variable('texts', 'company')}</h1>
<p>${variable('texts', 'greeting')} Ada,</p>${textStyles.join('')}${buttons.join('')}${dividers.join('')}${images.join(' ')}
<p>${variable('texts', 'signature')}</p>${swatches.join('')}${stacks.join('')}
<p style="font-size:13px;color:${color('muted')}">${variable('texts', 'reason')} <u>${variable('texts', 'unsubscribe')}</u> · <u>${variable('texts', 'preferences')}</u><br>${variable('texts', 'company')}, ${variable('texts', 'address')}</p>
</div></body>`
}
