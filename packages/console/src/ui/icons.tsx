import type { ReactNode } from 'react'

/** On a grid of 16, with lines in the text's colour. */
const shapes = {
  home: <path d="M2 7.5 8 2l6 5.5M3.5 6.5V14h9V6.5M6.5 14v-4h3v4" />,
  send: <path d="M14 2 2 7l5 2 2 5 5-12ZM7 9l3-3" />,
  people: (
    <>
      <circle cx="6" cy="5.5" r="2.5" />
      <path d="M1.5 14c0-3 2-4.5 4.5-4.5s4.5 1.5 4.5 4.5M11 3.2a2.5 2.5 0 0 1 0 4.6M12 9.8c1.6.5 2.5 1.9 2.5 4.2" />
    </>
  ),
  mail: (
    <>
      <rect x="1.5" y="3" width="13" height="10" rx="1.5" />
      <path d="m2 4.5 6 4.5 6-4.5" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  settings: (
    <>
      <path d="M2 5h5M11 5h3M2 11h3M9 11h5" />
      <circle cx="9" cy="5" r="2" />
      <circle cx="7" cy="11" r="2" />
    </>
  ),
  folder: <path d="M1.5 12.5v-9h4.5l1.5 2h7v7Z" />,
  image: (
    <>
      <rect x="1.5" y="2.5" width="13" height="11" rx="1.5" />
      <circle cx="5.5" cy="6" r="1.2" />
      <path d="m2 12 4-3.5 2.5 2L11 8l3.5 3.5" />
    </>
  ),
  template: (
    <>
      <rect x="2" y="2" width="12" height="12" rx="1.5" />
      <path d="M2 6h12M6.5 6v8" />
    </>
  ),
  grip: <path d="M6 4v.1M6 8v.1M6 12v.1M10 4v.1M10 8v.1M10 12v.1" />,
  bolt: <path d="M9 1.5 3.5 9H8l-1 5.5L12.5 7H8Z" />,
  plus: <path d="M8 3v10M3 8h10" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  check: <path d="m3 8.5 3.5 3.5L13 4.5" />,
  minus: <path d="M4 8h8" />,
  warning: <path d="M8 2 1.5 13.5h13L8 2ZM8 6.5v3M8 11.5v.1" />,
  info: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.5V11M8 5v.1" />
    </>
  ),
  barred: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="m4 4 8 8" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.5V8l2.5 1.5" />
    </>
  ),
  calendar: (
    <>
      <rect x="2" y="3" width="12" height="11" rx="1.5" />
      <path d="M2 6.5h12M5 1.5v3M11 1.5v3" />
    </>
  ),
  pencil: <path d="m3 13 .7-3L11 2.7a1.2 1.2 0 0 1 1.7 0l.6.6a1.2 1.2 0 0 1 0 1.7L6 12.3 3 13Z" />,
  pause: <path d="M6 4v8M10 4v8" />,
  stop: <rect x="4.5" y="4.5" width="7" height="7" rx="1" />,
  retry: <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
    </>
  ),
  trash: <path d="M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4" />,
  archive: <path d="M2 3h12v3H2V3ZM3 6v7.5h10V6M6.5 8.5h3" />,
  globe: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M2 8h12M8 2c4.5 4 4.5 8 0 12-4.5-4-4.5-8 0-12Z" />
    </>
  ),
  link: (
    <path d="M6.5 9.5a3 3 0 0 0 4.2 0l2-2a3 3 0 0 0-4.2-4.2l-.8.8M9.5 6.5a3 3 0 0 0-4.2 0l-2 2a3 3 0 0 0 4.2 4.2l.8-.8" />
  ),
  download: <path d="M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11" />,
  eye: (
    <>
      <path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8Z" />
      <circle cx="8" cy="8" r="2" />
    </>
  ),
  click: <path d="M6 6l3 8 1.5-3.5L14 9 6 6ZM2 6h1.5M6 2v1.5M3 3l1 1" />,
  leave: <path d="M6 2.5H3v11h3M6 8h8M11 5l3 3-3 3" />,
  machine: (
    <>
      <rect x="3" y="5" width="10" height="8" rx="2" />
      <path d="M8 5V2.5M6 8.5v1M10 8.5v1M1.5 8.5v2M14.5 8.5v2" />
    </>
  ),
  screen: (
    <>
      <rect x="1.5" y="3" width="13" height="8" rx="1" />
      <path d="M5.5 13.5h5" />
    </>
  ),
  phone: (
    <>
      <rect x="4.5" y="1.5" width="7" height="13" rx="1.5" />
      <path d="M7.5 12.5h1" />
    </>
  ),
  list: <path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4v.1M2.5 8v.1M2.5 12v.1" />,
  tag: <path d="M2 2.5h5L14 9.5 9.5 14 2.5 7V2.5ZM5 5v.1" />,
  segment: (
    <>
      <circle cx="6" cy="8" r="4.5" />
      <circle cx="10" cy="8" r="4.5" />
    </>
  ),
  down: <path d="m4 6 4 4 4-4" />,
  updown: <path d="m5 6 3-3 3 3M5 10l3 3 3-3" />,
  left: <path d="m10 3-5 5 5 5" />,
  right: <path d="m6 3 5 5-5 5" />,
  more: <path d="M3.5 8v.1M8 8v.1M12.5 8v.1" />,
  menu: <path d="M2.5 4h11M2.5 8h11M2.5 12h11" />,
  code: <path d="m5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5l3.5 3.5-3.5 3.5" />,
  key: (
    <>
      <circle cx="5" cy="11" r="3" />
      <path d="m7.2 8.8 6.3-6.3M11 5l2 2" />
    </>
  ),
  up: <path d="M8 13V3M4.5 6.5 8 3l3.5 3.5" />,
  lower: <path d="M8 3v10M4.5 9.5 8 13l3.5-3.5" />,
  undo: <path d="M5.5 3 2.5 6l3 3M3 6h6.5a4 4 0 0 1 0 8H6" />,
  redo: <path d="m10.5 3 3 3-3 3M13 6H6.5a4 4 0 0 0 0 8H10" />,
  numbers: <path d="M6.5 4H14M6.5 12H14M2 3l1.2-.8V6M2 10.2c1.8-1.2 2.6.4 1 1.8l-1 1.5h2.2" />,
  handle: <path d="M6 4v.1M6 8v.1M6 12v.1M10 4v.1M10 8v.1M10 12v.1" />,
} as const satisfies Readonly<Record<string, ReactNode>>

export type IconName = keyof typeof shapes

/** Never alone: beside a word, or in a labelled control. */
export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {shapes[name]}
  </svg>
)

export const Logo = ({ size = 24 }: { readonly size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 28 24" fill="none" aria-hidden="true" focusable="false">
    <g stroke="var(--brass)" strokeWidth="2.2" strokeLinecap="round">
      <circle cx="11.5" cy="14" r="6" />
      <path d="M1.5 8.5h18" />
      <path d="M1.5 6v5" />
    </g>
    <path
      d="M19 8.5 26 2.5v12L19 8.5Z"
      fill="var(--brass)"
      stroke="var(--brass)"
      strokeWidth="2"
      strokeLinejoin="round"
    />
  </svg>
)
