import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const places = [
  'core',
  'http-express',
  'adapters-node',
  'adapters-smtp',
  'adapters-sqlite',
  'adapters-mongo',
  'adapters-ses',
  'adapters-mail-in',
  'adapters-oidc',
]
  .map((name) => join(root, 'packages', name, 'src'))
  .concat(join(root, 'apps/server/src'))

const sources = places.flatMap((place) =>
  readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((one) => one.isFile() && one.name.endsWith('.ts'))
    .map((one) => readFileSync(join(one.parentPath, one.name), 'utf8')),
)

const literal =
  /(?<=(?:[=(:,&|!?[{;]|return|=>|^)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\n\\[])+)\/([dgimsuvy]*)/g
const isCode = (line: string) => !/^\s*(?:\*|\/\/|\/\*)/.test(line) && !line.includes('import ')

const found = new Set(
  sources.flatMap((source) =>
    source
      .split('\n')
      .filter(isCode)
      .flatMap((line) => [...line.matchAll(literal)].map(([whole]) => whole)),
  ),
)

/**
 * Linear whatever it is given: nothing in it repeats without a bound, or one thing does and either the expression is anchored or
 * nothing follows that could fail and have the repetition tried anew from each place in it.
 */
const isSimple = (expression: string): boolean => {
  const body = expression.slice(1, expression.lastIndexOf('/'))
  const shape = body.replace(/\\./g, 'c').replace(/\[[^\]]*\]/g, 'c')
  const repeats = shape.match(/[*+]|\{\d+,\}/g) ?? []
  return repeats.length === 0 || (repeats.length === 1 && (body.startsWith('^') || /^[^(]*[*+]$/.test(shape)))
}

type Hostile = (n: number) => string
const many =
  (text: string, end = ''): Hostile =>
  (n) =>
    text.repeat(n / text.length) + end

/** What is not simple, looked at one by one: with the inputs that would take the longest. */
const audited: Readonly<Record<string, readonly Hostile[]>> = {
  // message ids in headers of a send: at most 998 characters get there.
  '/^<[^<>\\s]{1,900}>(?: +<[^<>\\s]{1,900}>)*$/': [many('<a> ', '!'), many('<a>'), many(' ')],
  // parameters of MIME headers.
  '/;\\s*([^\\s;=]+)\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))/g': [
    many(';'),
    many(';a="'),
    many(';a=\\"'),
    (n) => `;a="${'\\"'.repeat(n)}`,
    (n) => `;${' '.repeat(n)}`,
    (n) => `;a${' '.repeat(n)}`,
  ],
  // violations: the field before the first colon.
  '/^([A-Za-z_][\\w.[\\]]*): (.+)$/s': [many('a'), many('a.'), (n) => `a: ${'\n'.repeat(n)}`],
  "/^([^']*)'[^']*'/": [many("'"), many('a'), many("a'")],
  '/^(?:127\\.\\d+\\.\\d+\\.\\d+|::1)$/': [(n) => `127.${'1'.repeat(n)}`, (n) => `127.1.1.${'1'.repeat(n)}x`],
  // header fields: at most 76 characters get there.
  '/^(?! )(?:[\\x21-\\x7e]| (?! |$))+$/': [(n) => `${'a '.repeat(Math.min(n, 38))}`],
  // production access: a website.
  '/^[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+\\.?(?::\\d+)?(?:[/?#]|$)/u': [
    many('a', '!'),
    many('a.', '!'),
    many('a.a', '!'),
    (n) => `a.a:${'1'.repeat(n)}!`,
  ],
  // the host of a link: the user part ends at the first @.
  '/^(https?:\\/\\/(?:[^/?#\\\\@]*@)?)([^/?#\\\\:]*)/i': [
    (n) => `https://${'a'.repeat(n)}`,
    (n) => `https://${'@'.repeat(n)}`,
  ],
  // names of attachments: only in front of a dot is more than one sign tried.
  '/^[^\\\\/\\r\\n\\0]*[^\\\\/\\r\\n\\0.]\\.+[^\\\\/\\r\\n\\0. ]+$/': [
    many('a'),
    many('.'),
    many('a.'),
    many('a.', ' '),
  ],
  // cells that a spreadsheet would take for a formula: after a separator, quotes are passed over once.
  '/(?:^|[,;\\t\\r\\n])[\'"]*[=+\\-@\\t\\r\\n＝＋－＠]/': [many("'"), many('"'), many(`;'"`), many(',')],
  '/(?<=^|[,;\\t\\r\\n])(?=[\'"]*[=+\\-@\\t\\r\\n＝＋－＠])/g': [many(`'"`, 'a'), many(`;'"`, 'a'), many(';')],
  "/(?<=^|[,;\\t\\r\\n])'(?=['\"]*[=+\\-@\\t\\r\\n＝＋－＠])/g": [many(`'"`, 'a'), many(`;'"`, 'a')],
  // the limits of this process, which the kernel writes.
  '/^Max open files\\s+(\\S+)/m': [(n) => `Max open files${' '.repeat(n)}`, many('Max open files ')],
  // certificates: one ends at the next hyphen.
  '/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g': [many('-----BEGIN CERTIFICATE-----a'), many('-')],
  // accounts: runs of hyphens are made one before.
  '/^-+|-+$/g': [many('-a')],
  '/[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[0-9]+/g': [many('A', 'a'), many('Aa'), many('AAa'), many('A1')],
  '/^-{0,2}[a-z][a-zA-Z]*(?:-[a-z]+)*$/': [many('a', '!'), many('-a', '!'), many('a-', '!')],
  '/^v\\s*=\\s*DMARC1\\s*(?=;|$)/': [(n) => `v${' '.repeat(n)}x`, (n) => `v=DMARC1${' '.repeat(n)}x`],
  '/ - \\d+:\\d+$/': [many(' - 1:1', 'x'), (n) => ` - ${'1'.repeat(n)}`, many(' - ')],
  '/^(?:\\s+|<\\?xml[^>]*>|<!--[\\s\\S]*?-->|<!doctype (?!html)[^>]*>)/i': [many('<!--'), many(' '), many('<?xml')],
  // the marks of a template's links: those of its author are none, as a template that has any is not marked.
  '/(\\uFDD0|\\uFDD1[\\uFDD8-\\uFDE1]+\\uFDD1|\\uFDD2[\\uFDD8-\\uFDE1]+\\uFDD2|\\uFDD3)/': [
    many('\uFDD1\uFDD8\uFDD1'),
    many('\uFDD2\uFDD8'),
    many('\uFDD0'),
  ],
  // base64url: only what btoa makes.
  '/=+$/': [(n) => `${'A'.repeat(n)}==`],
  "/^(?=.{3,254}$)(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/":
    [many('a'), many('a.'), many('a@'), many('@')],
  '/;\\s*charset="?([^";\\s]+)/i': [many(';'), many('; '), (n) => `;${' '.repeat(n)}`],
  '/filename="?([^";]*)/': [many('filename=')],
  '/^Bearer +([\\x21-\\x7e]+)$/i': [(n) => `Bearer ${' '.repeat(n)}`, (n) => `Bearer ${'a'.repeat(n)} `],
  '/\\{(\\w+)\\}/g': [(n) => `{${'a'.repeat(n)}`],
  '/(https?:\\/\\/[^\\s<>"\']+[^\\s<>"\'.,;:!?)\\]])/': [
    many('http://'),
    many('http://.', ' '),
    (n) => `http://${'.'.repeat(n)}`,
  ],
  '/\\s(?:src|srcset|background|poster)\\s*=\\s*(?:["\']\\s*)?(?:https?:)?\\/\\//i': [
    many(' src='),
    (n) => ` src=${' '.repeat(n)}x`,
    (n) => ` src="${' '.repeat(n)}x`,
    many(' '),
    many(' src '),
  ],
  '/url\\(\\s*(?:["\']\\s*)?(?:https?:)?\\/\\//i': [many('url('), (n) => `url(${' '.repeat(n)}x`, many('url( ')],
  '/\\bcid:([^"\'\\s)>]+)/gi': [many('cid:'), many(' cid:')],
  // A stored password hash: each part ends at a `$`, which none of them contains.
  '/^scrypt\\$(\\d{1,2})\\$(\\d{1,2})\\$(\\d{1,2})\\$([\\w-]+)\\$([\\w-]+)$/': [
    many('scrypt$15$8$1$'),
    (n) => `scrypt$15$8$1$${'a'.repeat(n)}`,
  ],
  // smtp: at most 254 characters get there.
  '/^[\\x21-\\x3b\\x3d\\x3f-\\x7e]+@[\\x21-\\x3b\\x3d\\x3f-\\x7e]+$/': [() => `${'a@'.repeat(127)}\0`],
  '/\\bqueued as <?([^\\s>;,]+)/i': [many('queued as '), many('queued as <')],
  '/\\bid=([^\\s>;,\\]]+)/i': [many('id=;')],
  '/\\[InternalId=(\\d+)/i': [many('[InternalId=')],
  '/(?:^|\\s)(\\S+) Message accepted for delivery/i': [many('a'), many('a '), many(' ')],
  '/\\bOK\\s+\\d{9,}\\s+(\\S+) - gsmtp/i': [
    many('OK '),
    (n) => `OK 123456789 ${'a'.repeat(n)}`,
    (n) => `OK${' '.repeat(n)}`,
  ],
  '/\\bqueued \\(([^)\\s]+)\\)/i': [many('queued ( '), (n) => `queued (${'a'.repeat(n)}`],
  '/^(?:2\\.\\d+\\.\\d+ )?Ok ([0-9a-f][0-9a-f-]{15,})$/i': [(n) => `2.${'1'.repeat(n)}`, (n) => `Ok ${'a'.repeat(n)}!`],
  // host names: at most 63 characters get there.
  '/[\\p{L}\\p{N}]\\p{M}*$/u': [many('a\u0301', ' '), (n) => `a${'\u0301'.repeat(n)} `],
  // templates: tried at one place each.
  '/\\s*else\\b/y': [many(' ')],
  '/\\^\\s*~?\\}\\}/y': [(n) => `^${' '.repeat(n)}`],
  '/^(?:\\[([0-9a-f:.]+)\\]|([^:/?#@\\s[\\]]+))(?::\\d{1,5})?$/': [many('a', ':x'), (n) => `[${'0'.repeat(n)}`],
  '/^::ffff:(?=\\d+\\.\\d+\\.\\d+\\.\\d+$)/i': [
    (n) => `::ffff:${'1'.repeat(n)}`,
    (n) => `::ffff:1.1.1.${'1'.repeat(n)}x`,
  ],
  '/^Basic +([A-Za-z0-9+/=]+)$/i': [(n) => `Basic ${' '.repeat(n)}`, (n) => `Basic ${'a'.repeat(n)} `],
  '/^\\/v1\\/subscriber-lists\\/[^/]*\\/[^/]*\\/unsubscribe\\/?$/i': [
    (n) => `/v1/subscriber-lists/${'a'.repeat(n)}`,
    many('/v1/subscriber-lists//unsubscribe'),
  ],
  // cells and tags of exports of other systems: the tags have at most 1,000 characters, the cells a million.
  '/"((?:[^"]|"")*)"|([^,]+)/g': [many('"'), many('"a'), many(',"'), (n) => `"${'a'.repeat(n)}`],
  '/^COPY (?:"?[^". ]+"?\\.)?"?([A-Za-z_]\\w*)"? \\((.*)\\) FROM stdin;$/': [
    (n) => `COPY ${'a'.repeat(n)}`,
    (n) => `COPY a (${') FROM '.repeat(n / 7)}`,
  ],
  '/^-?\\d+(?:\\.\\d+)?$/': [many('1', 'x'), (n) => `1.${'1'.repeat(n)}x`],
  '/"[^"]*"|[^\\s"]+/g': [many('"'), many(' "'), (n) => `"${'a'.repeat(n)}`],
  '/^(if|else if|else|end)\\b\\s*(.*)$/s': [many('else '), (n) => `if${' '.repeat(n)}`],
  '/^([\\w.]+)(?:\\s*\\|\\s*default:\\s*("[^"]*"|\'[^\']*\'))?$/': [
    many('a', '!'),
    (n) => `a${' '.repeat(n)}`,
    (n) => `a|${' '.repeat(n)}`,
    (n) => `a|default:"${'a'.repeat(n)}`,
  ],
  '/^([\\w.]+)(?:\\s*==\\s*("[^"]*"|\'[^\']*\'))?$/': [
    many('a', '!'),
    (n) => `a${' '.repeat(n)}`,
    (n) => `a==${' '.repeat(n)}`,
  ],
  '/^(\\w+)\\s*(.*)$/s': [many('a'), (n) => `a${' '.repeat(n)}`],
  '/^(var|data):([\\w.]+)(?::(.*))?$/s': [(n) => `var:${'a'.repeat(n)}!`, (n) => `var:a:${'a'.repeat(n)}`],
  '/^(var|data):([\\w.]+)(?::"")?(\\s*={1,3}\\s*("[^"]*"|\'[^\']*\'))?$/': [
    (n) => `var:${'a'.repeat(n)}!`,
    (n) => `var:a${' '.repeat(n)}`,
    (n) => `var:a=${' '.repeat(n)}`,
  ],
  '/^(\\w+)(?:\\s*=\\s*(.*))?$/': [many('a', '!'), (n) => `a${' '.repeat(n)}!`, (n) => `a=${'\n'.repeat(n)}!\n`],
  '/^([\\w.@]+)(?:\\s+"default=([^"]*)")?$/': [many('a', '!'), (n) => `a${' '.repeat(n)}!`],
  '/^([#/]?)(\\w+)\\s*(.*)$/s': [many('a'), (n) => `a${' '.repeat(n)}`],
  '/^[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)*$/': [many('a', '!'), many('a.', '!')],
  // Encoded words of submitted mails: a word ends at the next question mark.
  '/=\\?(?:windows-1252|cp1252|iso-8859-1|latin1)(?:\\*[^?]{0,40})?\\?([bq])\\?([^?]*)\\?=/gi': [
    many('=?cp1252?b?'),
    many('=?cp1252*'),
    (n) => `=?latin1?q?${'a'.repeat(n)}`,
  ],
  // What the operator alone writes, or a database or this machine says.
  '/^127\\.\\d+\\.\\d+\\.\\d+$/': [],
  '/^[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+$/': [],
  '/UNIQUE constraint failed: (.+)$/': [],
  '/^mongodb(?:\\+srv)?:\\/\\/[^/?]+\\/([^?]+)/': [],
  '/\\/\\/.*@/s': [],
  '/index: (\\S+)/': [],
  '/\\/+$/': [],
  '/[/\\\\]+$/': [],
}

const time = (expression: RegExp, input: string): number =>
  Math.min(
    ...[1, 2, 3].map(() => {
      const { user } = process.cpuUsage()
      expression.lastIndex = 0
      input.replace(expression, '')
      return process.cpuUsage().user - user
    }),
  )

describe('regular expressions', () => {
  it('are found in all sources', () => {
    expect(found.size).toBeGreaterThan(100)
  })

  it('are simple, or audited for hostile input', () => {
    expect([...found].filter((one) => !isSimple(one) && !(one in audited))).toEqual([])
  })

  const pairs = Object.entries(audited).flatMap(([expression, inputs]) =>
    inputs.map((input) => [expression, input] as const),
  )
  it.each(pairs)('take linear time: %s', (text, input) => {
    const end = text.lastIndexOf('/')
    const expression = new RegExp(text.slice(1, end), text.slice(end + 1))
    // A quadratic one takes 64 times as long, and minutes for what is tried here.
    const [short, long] = [time(expression, input(16_000)), time(expression, input(128_000))]
    expect(long).toBeLessThan(30 * Math.max(short, 2_000))
  })
})
