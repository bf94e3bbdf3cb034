export type Example = {
  /** Markdown. */
  readonly description: string
  /** Besides the project. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: Readonly<Record<string, unknown>>
  /** Of an upload; default `logo.png`. */
  readonly file?: { readonly name: string; readonly type: string }
  readonly headers?: Readonly<Record<string, string>>
  /** Sample id of the record. */
  readonly makes?: string
}
export type Examples = Readonly<Record<string, Example>>

const sampleId = (n: number) => `69280e5c8f1c4a2b9d3e7f${n.toString(16).padStart(2, '0')}`

/** One record each, in all examples. */
export const exampleIds = {
  project: sampleId(16),
  list: sampleId(17),
  segment: sampleId(18),
  campaign: sampleId(19),
  triggered: sampleId(20),
  transactional: sampleId(21),
  template: sampleId(22),
  form: sampleId(23),
  tag: sampleId(24),
  suppression: sampleId(25),
  domain: sampleId(26),
  sender: sampleId(27),
  design: sampleId(28),
  folder: sampleId(29),
  image: sampleId(30),
  webhookEvent: sampleId(31),
  webhook: sampleId(32),
  dispatch: sampleId(33),
  send: sampleId(34),
  import: sampleId(35),
} as const

/** Of a `List-Unsubscribe` link. */
export const exampleUnsubscribeToken = 'eyJwIjoidW5zdWJzY3JpYmUifQ.c2lnbmF0dXJl'

export const sampleAdaAddress = 'ada@example.com'
export const sampleGraceAddress = 'grace@example.com'
