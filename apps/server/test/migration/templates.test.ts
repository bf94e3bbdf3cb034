import { describe, expect, it } from 'vitest'
import { plannedTemplateImport } from '../../src/migration/template-plan.js'
import { templateDialects } from '../../src/migration/templates/dialects.js'
import { type KnownField, type TemplateLanguage, translateTemplate } from '../../src/migration/templates/translation.js'

const fields: Readonly<Record<string, KnownField>> = {
  city: { name: 'city', type: 'string' },
  'address.zip': { name: 'addressZip', type: 'string' },
  age: { name: 'age', type: 'number' },
  vip: { name: 'vip', type: 'boolean' },
  'First name': { name: 'firstName', type: 'string' },
  'Last name': { name: 'lastName', type: 'string' },
  CITY: { name: 'city', type: 'string' },
  AGE: { name: 'age', type: 'number' },
}
const fieldOf = (name: string) => fields[name]

const translated = (language: TemplateLanguage, source: string) =>
  translateTemplate(source, templateDialects[language](fieldOf))
const textOf = (language: TemplateLanguage, source: string) => {
  const { text, problems } = translated(language, source)
  return problems.length === 0 ? text : problems.map(({ construct, reason }) => `${construct}: ${reason}`)
}
const problemsOf = (language: TemplateLanguage, source: string) =>
  translated(language, source).problems.map(({ line, column, construct }) => `${line}:${column} ${construct}`)

describe('Go templates of listmonk', () => {
  it.each([
    ['{{ .Subscriber.Email }} {{.Subscriber.Name}}', '{{contact.email}} {{contact.name}}'],
    ['{{ .Subscriber.Attribs.address.zip }}', '{{contact.addressZip}}'],
    ['{{ .Tx.Data.order.id }}', '{{order.id}}'],
    ['{{ if .Subscriber.Attribs.vip }}a{{ else }}b{{ end }}', '{{#if contact.vip}}a{{else}}b{{/if}}'],
    ['{{ if not .Subscriber.Attribs.vip }}a{{ end }}', '{{#if (NOT contact.vip)}}a{{/if}}'],
    ['{{ if ne .Subscriber.Attribs.city "New York" }}a{{ end }}', '{{#if (NOT (EQ contact.city "New York"))}}a{{/if}}'],
    ['{{ if eq .Subscriber.Attribs.age 42 }}a{{ end }}', '{{#if (EQ contact.age 42)}}a{{/if}}'],
    ['a {{- .Subscriber.Name -}} b', 'a {{~contact.name~}} b'],
    ['{{ UnsubscribeURL }}{{ TrackView }}', '{{unsubscribeLink}}'],
    [
      '{{ TrackLink "https://x.example.com" . }} https://y.example.com@TrackLink',
      'https://x.example.com https://y.example.com',
    ],
    ['{{/* note */}}plain } and { text', 'plain } and { text'],
  ])('%s become %s', (source, text) => {
    expect(textOf('go', source)).toBe(text)
  })

  it.each([
    ['{{ .Subscriber.Attribs.unknown }}', ['1:1 {{ .Subscriber.Attribs.unknown }}']],
    ['a\nbc{{ .Subscriber.UUID }}', ['2:3 {{ .Subscriber.UUID }}']],
    ['{{ .Tx.Data.contact }}', ['1:1 {{ .Tx.Data.contact }}']],
    ['{{ .Subscriber.Name | upper }}', ['1:1 {{ .Subscriber.Name | upper }}']],
    ['{{ if and .A .B .C }}x{{ end }}', ['1:1 {{ if and .A .B .C }}']],
    ['{{ end }}', ['1:1 {{ end }}']],
    ['{{ if .Subscriber.Name }}never closed', ['1:38 {{#if}}']],
    ['{{ .Subscriber.Name', ['1:1 {{']],
    ['{{ constructor }}{{ __proto__ }}', ['1:1 {{ constructor }}', '1:18 {{ __proto__ }}']],
  ])('with %s, which does not exist here, is listed with its place', (source, problems) => {
    expect(problemsOf('go', source)).toEqual(problems)
  })
})

describe('merge tags of Mailchimp', () => {
  it.each([
    ['*|FNAME|* *|LNAME|* *|EMAIL|*', '{{contact.firstName}} {{contact.lastName}} {{contact.email}}'],
    [
      '*|IF:CITY=Bonn|*a*|ELSEIF:AGE|*b*|ELSE:|*c*|END:IF|*',
      '{{#if (EQ contact.city "Bonn")}}a{{else if contact.age}}b{{else}}c{{/if}}',
    ],
    ['*|IFNOT:FNAME|*a*|END:IF|*', '{{#unless contact.firstName}}a{{/unless}}'],
    ['<a href="*|UNSUB|*">x</a> 5 * | 6', '<a href="{{unsubscribeLink}}">x</a> 5 * | 6'],
  ])('%s become %s', (source, text) => {
    expect(textOf('merge-tags', source)).toBe(text)
  })

  it.each([
    ['*|ARCHIVE|*', ['1:1 *|ARCHIVE|*']],
    ['*|LIST:COMPANY|*', ['1:1 *|LIST:COMPANY|*']],
    ['*|IF:AGE=3|*a*|END:IF|*', ['1:1 *|IF:AGE=3|*']],
    ['*|INTERESTED:A:B|*x*|END:INTERESTED|*', ['1:1 *|INTERESTED:A:B|*', '1:20 *|END:INTERESTED|*']],
    ['{{ literal }}', ['1:1 {{']],
  ])('with %s, which does not exist here, is listed with its place', (source, problems) => {
    expect(problemsOf('merge-tags', source)).toEqual(problems)
  })
})

describe('templates of SendGrid', () => {
  it.each([
    ['{{#if user.name}}Hi {{user.name}}{{else}}Hi{{/if}}', '{{#if user.name}}Hi {{user.name}}{{else}}Hi{{/if}}'],
    ['{{#each items}}{{this.a}} {{@index}}{{/each}}', '{{#each items}}{{this.a}} {{@index}}{{/each}}'],
    ['{{insert name "default=dear friend"}} {{insert name}}', '{{DEFAULT name "dear friend"}} {{name}}'],
    ['{{#equals a "b"}}x{{else}}y{{/equals}}', '{{#if (EQ a "b")}}x{{else}}y{{/if}}'],
    [
      '{{#notEquals a b}}x{{/notEquals}}{{#and a b}}y{{/and}}',
      '{{#unless (EQ a b)}}x{{/unless}}{{#if (AND a b)}}y{{/if}}',
    ],
    ['{{{unsubscribe}}}', '{{unsubscribeLink}}'],
  ])('%s become %s', (source, text) => {
    expect(textOf('handlebars', source)).toBe(text)
  })

  it.each([
    ['{{formatDate now "MMM"}}', ['1:1 {{formatDate now "MMM"}}']],
    ['{{#greaterThan a 5}}x{{/greaterThan}}', ['1:1 {{#greaterThan a 5}}']],
    ['{{weblink}} <%body%>', ['1:1 {{weblink}}', '1:13 <%body%>']],
    ['{{#equals a b}}x{{/and}}', ['1:17 {{/and}}']],
  ])('with %s, which does not exist here, is listed with its place', (source, problems) => {
    expect(problemsOf('handlebars', source)).toEqual(problems)
  })
})

describe('templates of Mailjet', () => {
  it.each([
    [
      '{{var:name:"friend"}} {{var:name}} {{var:name:plain}}',
      '{{DEFAULT name "friend"}} {{name}} {{DEFAULT name "plain"}}',
    ],
    ['{{data:city:""}} [[data:city:"x"]]', '{{contact.city}} {{DEFAULT contact.city "x"}}'],
    [
      '{% if var:a == "b" %}1{% elseif data:vip %}2{% else %}3{% endif %}',
      '{{#if (EQ a "b")}}1{{else if contact.vip}}2{{else}}3{{/if}}',
    ],
    [
      '[[EMAIL_TO]] [[UNSUB_LINK_FR]] <!--[if mso]> [[a b]]',
      '{{contact.email}} {{unsubscribeLink}} <!--[if mso]> [[a b]]',
    ],
    ['{{var:x:"it\'s"}}', '{{DEFAULT x "it\'s"}}'],
  ])('%s become %s', (source, text) => {
    expect(textOf('mailjet', source)).toBe(text)
  })

  it.each([
    ['{{mj:contact.email}}', ['1:1 {{mj:contact.email}}']],
    ['{% if var:a > 3 %}x{% endif %}', ['1:1 {% if var:a > 3 %}']],
    ['{{var:x:"say \\"hi\\""}}', ['1:1 {{var:x:"say \\"hi\\""}}']],
    ['[[PERMALINK]]{{data:nothing}}', ['1:1 [[PERMALINK]]', '1:14 {{data:nothing}}']],
  ])('with %s, which does not exist here, is listed with its place', (source, problems) => {
    expect(problemsOf('mailjet', source)).toEqual(problems)
  })
})

describe('Liquid of Keila', () => {
  it.each([
    ['{{ contact.first_name }} {{ contact.email }}', '{{contact.firstName}} {{contact.email}}'],
    ['{{ contact.data.address.zip | default: "none" }}', '{{DEFAULT contact.addressZip "none"}}'],
    [
      '{% if contact.data.city == "Bonn" %}a{% elsif contact.data.vip %}b{% endif %}',
      '{{#if (EQ contact.city "Bonn")}}a{{else if contact.vip}}b{{/if}}',
    ],
    ['{% unless contact.last_name %}a{% else %}b{% endunless %}', '{{#unless contact.lastName}}a{{else}}b{{/unless}}'],
    ['{{ unsubscribe_link }}', '{{unsubscribeLink}}'],
  ])('%s become %s', (source, text) => {
    expect(textOf('liquid', source)).toBe(text)
  })

  it.each([
    ['{{ contact.data.age | plus: 1 }}', ['1:1 {{ contact.data.age | plus: 1 }}']],
    ['{% if contact.data.age %}x{% endif %}', ['1:1 {% if contact.data.age %}']],
    ['{% for a in b %}x{% endfor %}', ['1:1 {% for a in b %}', '1:18 {% endfor %}']],
    ['{{ campaign.subject }}', ['1:1 {{ campaign.subject }}']],
  ])('with %s, which does not exist here, is listed with its place', (source, problems) => {
    expect(problemsOf('liquid', source)).toEqual(problems)
  })
})

describe('a template', () => {
  const item = {
    kind: 'template',
    place: { file: 'a.json', line: 1 },
    name: 'A',
    subject: 'S',
    purpose: 'transactional',
    format: 'html',
    source: '',
    language: 'handlebars',
  } as const

  it('that the store would refuse is not imported, with the reason of the store', () => {
    const { problems } = plannedTemplateImport({ ...item, source: 'x\n{{> partial}}' }, fieldOf)
    expect(problems).toEqual([
      { part: 'body', reason: expect.stringContaining('line 2, column 1: partials are not available') },
    ])
    expect(plannedTemplateImport({ ...item, name: '' }, fieldOf).problems).toHaveLength(1)
  })

  it('with an unsubscribe link is sent to a list, so that the link exists', () => {
    expect(plannedTemplateImport({ ...item, source: '{{unsubscribe}}' }, fieldOf).target).toBe('triggered email')
    expect(plannedTemplateImport(item, fieldOf).target).toBe('transactional email')
  })

  it('has the problems of its subject, too', () => {
    const { problems } = plannedTemplateImport(
      { ...item, language: 'liquid', subject: '{{ x }}', source: '{{ y }}' },
      fieldOf,
    )
    expect(problems.map(({ part, construct }) => [part, construct])).toEqual([
      ['subject', '{{ x }}'],
      ['body', '{{ y }}'],
    ])
  })

  it('of thousands of open braces is read in linear time, and names the first fifty', () => {
    const source = '{{ x '.repeat(100_000)
    for (const language of ['go', 'mailjet', 'liquid', 'merge-tags'] as const)
      expect(translated(language, source).problems).toHaveLength(50)
  })
})
