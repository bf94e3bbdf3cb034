import fc from 'fast-check'

const path = fc.constantFrom(
  ...['a', 'b', 'a.b', 'this', '.', '..', '../a', '../../b', 'this.a', './b', '@root.a', '@index', '@key', '@first'],
  ...[
    '@../index',
    '@root.list.0',
    'list',
    'list.[1]',
    'rows',
    'x',
    'x.a',
    'y',
    '[with space]',
    'text.length',
    'constructor',
  ],
)
const literal = fc.constantFrom('"t<&>"', "'s'", '0', '1', '-2', 'true', 'false', 'null', 'undefined')
const { expression } = fc.letrec<{ expression: string; call: string }>((tie) => ({
  expression: fc.oneof({ depthSize: 'small' }, path, literal, tie('call')),
  call: fc.oneof(
    fc
      .tuple(fc.constantFrom('EQ', 'INCLUDES', 'TRUNCATE', 'DEFAULT', 'lookup'), tie('expression'), tie('expression'))
      .map(([name, one, other]) => `(${name} ${one} ${other})`),
    fc.tuple(fc.constantFrom('NOT', 'CAPITALIZE'), tie('expression')).map(([name, one]) => `(${name} ${one})`),
    fc
      .tuple(fc.constantFrom('AND', 'OR'), fc.array(tie('expression'), { minLength: 1, maxLength: 3 }))
      .map(([name, all]) => `(${name} ${all.join(' ')})`),
  ),
}))
const text = fc.constantFrom(
  'text',
  ' ',
  '\n',
  '  \n  ',
  '\\{{a}} ',
  '<b>',
  '{',
  '{{!c}}',
  '{{!-- {{a}} --}}',
  'é',
  '\\\\',
)
const tag = fc.tuple(fc.constantFrom('{{', '{{~', '{{{'), fc.oneof(path, expression)).map(([open, inner]) => {
  const called = inner.startsWith('(') ? inner.slice(1, -1) : inner
  // Handlebars adds numbers up that stand beside each other unescaped; a text before each tag keeps it from that.
  return `.${open}${called}${open === '{{{' ? '}}}' : open === '{{~' ? '~}}' : '}}'}`
})
export const { template } = fc.letrec<{ template: string; block: string }>((tie) => ({
  template: fc
    .array(fc.oneof({ depthSize: 'small' }, text, tag, tie('block')), { maxLength: 5 })
    .map((all) => all.join('')),
  block: fc
    .record({
      name: fc.constantFrom('if', 'unless', 'with', 'each', 'each'),
      mark: fc.constantFrom('#', '#', '#', '^', '#~'),
      argument: expression,
      hash: fc.constantFrom('', '', ' skip=1', ' limit=1', ' skip="1" limit=2'),
      params: fc.constantFrom('', '', ' as |x|', ' as |x y|'),
      inside: tie('template'),
      middle: fc.constantFrom('', '{{else}}', '{{else if b}}', '{{^}}', '{{~else~}}'),
      otherwise: tie('template'),
    })
    .map(({ name, mark, argument, hash, params, inside, middle, otherwise }) => {
      const open = mark === '#~' ? '{{~#' : `{{${mark}`
      const loops = name === 'each'
      return `${open}${name} ${argument}${loops ? hash : ''}${loops || name === 'with' ? params : ''}}}${inside}${middle}${middle ? otherwise : ''}{{/${name}}}`
    }),
}))

const leaf = fc.constantFrom<unknown>('', 'text', '<&>"\'`=', 0, 1, 2.5, true, false, null, 'x'.repeat(30))
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.record({ a: leaf, b: fc.record({ a: leaf }) }, { requiredKeys: [] }),
)
export const context = fc.record(
  {
    a: value,
    b: value,
    x: value,
    text: fc.string(),
    list: fc.array(value, { maxLength: 4 }),
    rows: fc.array(fc.record({ a: value, b: value }), { maxLength: 3 }),
    'with space': leaf,
  },
  { requiredKeys: ['list'] },
)
