import type { Kind } from './emails.js'

export type Called = {
  readonly kind: Kind
  /** Where the API is, without a slash at the end. */
  readonly baseUrl: string
  readonly projectId: string
  readonly id: string
  readonly address: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Samples read the key from the environment: keys do not belong in programs. */
const keyName = 'POSTHORN_KEY'

const bodyOf = ({ kind, id, address, data }: Called) =>
  kind === 'triggered' ? { triggeredId: id, emails: [address], data } : { email: address, transactionalId: id, data }

const json = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** Of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const python = (value: unknown, indent = ''): string => {
  const inside = `${indent}    `
  const block = (open: string, rows: readonly string[], close: string) =>
    rows.length === 0 ? open + close : `${open}\n${rows.map((row) => `${inside}${row},\n`).join('')}${indent}${close}`
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value))
    return block(
      '[',
      value.map((one) => python(one, inside)),
      ']',
    )
  if (typeof value === 'object')
    return block(
      '{',
      Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${python(one, inside)}`),
      '}',
    )
  return JSON.stringify(value)
}

const urlOf = ({ kind, baseUrl, projectId }: Called) => `${baseUrl}/v1/projectId/${projectId}/send-${kind}`

export const codeSamples = {
  curl: {
    label: 'curl',
    of: (called: Called): string => `curl --fail-with-body ${quoted(urlOf(called))} \\
  --header "Authorization: Bearer $${keyName}" \\
  --header 'Content-Type: application/json' \\
  --data ${quoted(json(bodyOf(called)))}
`,
  },
  typescript: {
    label: 'TypeScript',
    of: (called: Called): string => `import { Posthorn } from '@posthorn/client'

const posthorn = new Posthorn({
  baseUrl: ${JSON.stringify(called.baseUrl)},
  projectId: ${JSON.stringify(called.projectId)},
  apiKey: process.env.${keyName},
})

const { dispatchId } = await posthorn.sends.${called.kind}(${json(bodyOf(called))})
console.log(\`Queued as \${dispatchId}\`)
`,
  },
  python: {
    label: 'Python',
    of: (called: Called): string => `import json
import os
import urllib.request

body = ${python(bodyOf(called))}
request = urllib.request.Request(
    ${JSON.stringify(urlOf(called))},
    data=json.dumps(body).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['${keyName}']}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print("Queued as", json.load(response)["result"]["dispatchId"])
`,
  },
} as const
export type SampleLanguage = keyof typeof codeSamples
