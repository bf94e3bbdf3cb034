import type { Design, DesignEntry } from './design-values.js'

const entries = (
  values: Readonly<Record<string, readonly [value: DesignEntry['value'], description: string]>>,
): readonly DesignEntry[] =>
  Object.entries(values).map(([name, [value, description]], index) => ({
    name,
    value,
    description,
    ...(index === 0 && { main: true }),
  }))

const sans = "'Helvetica Neue', Helvetica, Arial, sans-serif"
const serif = "Georgia, 'Times New Roman', Times, serif"
const mono = "Menlo, Consolas, 'Courier New', monospace"

/** Examples (RFC 2606) until the project sets its own. */
const placeholder = (path: string) => `https://example.com/${path}`

/** Text colors have the contrast of WCAG 2.2 AA; mail programs have the fonts. */
export const baseDesignSystem: Design = {
  variables: {
    colors: entries({
      primary: ['#0b5d66', 'Buttons and links'],
      onPrimary: ['#ffffff', 'Text on primary'],
      accent: ['#c2410c', 'Highlights such as badges, prices and dates'],
      heading: ['#14211f', 'Headings'],
      text: ['#33413f', 'Running text'],
      muted: ['#5f6b69', 'Footers and small print'],
      border: ['#d9e0de', 'Dividers and frames'],
      surface: ['#ffffff', 'Background of the content'],
      background: ['#f3f6f5', 'Background of the page'],
      success: ['#166534', 'Success messages'],
      warning: ['#92400e', 'Warnings'],
      danger: ['#b91c1c', 'Errors'],
    }),
    fontStacks: entries({
      body: [sans, 'Running text'],
      heading: [serif, 'Headings'],
      code: [mono, 'Codes and order numbers'],
    }),
    images: entries({
      logo: [placeholder('images/logo.png'), 'The project’s logo, on a light ground'],
      logoInverted: [placeholder('images/logo-inverted.png'), 'The logo on a dark ground'],
      header: [placeholder('images/header.jpg'), 'Across the top, 1200 pixels wide'],
    }),
    links: entries({
      website: [placeholder(''), 'The home page'],
      contact: [placeholder('contact'), 'The contact page'],
      privacy: [placeholder('privacy'), 'The privacy policy'],
      legal: [placeholder('legal'), 'The legal notice'],
      facebook: [placeholder('facebook'), 'Profile on Facebook'],
      instagram: [placeholder('instagram'), 'Profile on Instagram'],
      linkedin: [placeholder('linkedin'), 'Profile on LinkedIn'],
      youtube: [placeholder('youtube'), 'Channel on YouTube'],
    }),
    texts: entries({
      company: ['Your company', 'Company name'],
      address: ['Street 1, 12345 City, Country', 'Postal address, required by law in many countries'],
      greeting: ['Hello', 'Opening of mails'],
      signature: ['Kind regards', 'Closing of mails'],
      unsubscribe: ['Unsubscribe', 'Text of the unsubscribe link'],
      preferences: ['Change what you receive', 'Text of the preferences link'],
      reason: ['You receive this mail because you subscribed to it.', 'Reason for the mail, in the footer'],
    }),
  },
  font: {
    resources: [],
    stacks: entries({
      sans: [sans, 'Without serifs'],
      serif: [serif, 'With serifs'],
      mono: [mono, 'Monospace'],
      rounded: ["'Trebuchet MS', Verdana, Tahoma, sans-serif", 'Friendly, without serifs'],
    }),
  },
  components: {
    buttons: entries({
      primary: [
        {
          backgroundColor: '#0b5d66',
          color: '#ffffff',
          fontFamily: sans,
          fontSize: '16px',
          fontWeight: 600,
          lineHeight: '24px',
          padding: '12px 24px',
          borderRadius: '6px',
          textDecoration: 'none',
        },
        'Main action',
      ],
      secondary: [
        {
          backgroundColor: '#ffffff',
          color: '#0b5d66',
          border: '1px solid #0b5d66',
          fontFamily: sans,
          fontSize: '16px',
          fontWeight: 600,
          lineHeight: '24px',
          padding: '11px 23px',
          borderRadius: '6px',
          textDecoration: 'none',
        },
        'Secondary action',
      ],
      link: [
        {
          backgroundColor: 'transparent',
          color: '#0b5d66',
          fontFamily: sans,
          fontSize: '16px',
          lineHeight: '24px',
          padding: '0',
          textDecoration: 'underline',
        },
        'Within a text',
      ],
    }),
    texts: entries({
      body: [{ color: '#33413f', fontFamily: sans, fontSize: '16px', lineHeight: '26px' }, 'Running text'],
      title: [
        { color: '#14211f', fontFamily: serif, fontSize: '32px', fontWeight: 700, lineHeight: '40px' },
        'Once, at the top',
      ],
      heading: [
        { color: '#14211f', fontFamily: serif, fontSize: '22px', fontWeight: 700, lineHeight: '30px' },
        'Above a section',
      ],
      lead: [{ color: '#33413f', fontFamily: sans, fontSize: '18px', lineHeight: '28px' }, 'The first paragraph'],
      small: [{ color: '#5f6b69', fontFamily: sans, fontSize: '13px', lineHeight: '20px' }, 'Footers'],
    }),
    images: entries({
      wide: [{ width: '100%', height: 'auto', borderRadius: '0' }, 'From edge to edge'],
      rounded: [{ width: '100%', height: 'auto', borderRadius: '8px' }, 'Within the text'],
      avatar: [{ width: '64px', height: '64px', borderRadius: '50%' }, 'A person'],
      logo: [{ width: '140px', height: 'auto' }, 'At the top of the mail'],
    }),
    dividers: entries({
      line: [{ borderTop: '1px solid #d9e0de', margin: '24px 0' }, 'Between sections'],
      strong: [{ borderTop: '3px solid #0b5d66', margin: '32px 0', width: '64px' }, 'Under a title'],
      space: [{ borderTop: '0', height: '32px' }, 'Empty space'],
    }),
  },
}
