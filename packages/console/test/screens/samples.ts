const people = [
  ['Ada Whitfield', 'ada@hartwell.example', 'Hamburg', 'fiction,signed'],
  ['Benedikt Sahl', 'b.sahl@sahl-druck.example', 'Lübeck', 'wholesale'],
  ['Carla Monteiro', 'carla.monteiro@lusa.example', 'Bremen', 'poetry'],
  ['Dunja Petrović', 'dunja@petrovic.example', 'Hamburg', 'fiction'],
  ['Emil Nygård', 'emil.nygard@fjordnett.example', 'Kiel', ''],
  ['Fatima Zerrouki', 'f.zerrouki@oranpost.example', 'Hannover', 'children'],
  ['Greta Holmqvist', 'greta@holmqvist.example', 'Hamburg', 'fiction,events'],
  ['Hugo Lammers', 'hugo.lammers@lammers.example', 'Oldenburg', 'crime'],
  ['Ines Okafor', 'ines@okafor-reads.example', 'Leipzig', 'translations'],
  ['Jonas Rieck', 'jonas.rieck@hafenpost.example', 'Kiel', 'fiction,translations'],
  ['Jonna Behrens', 'jonna.behrens@elbpost.example', '', ''],
  ['Kofi Mensah', 'kofi@mensah.example', 'Hamburg', 'history'],
  ['Lena Brückner', 'lena.brueckner@postfach.example', 'Schwerin', 'fiction,poetry'],
  ['Mikael Strand', 'mikael@strand.example', 'Flensburg', 'crime'],
  ['Nora Quist', 'nora.quist@quist.example', '', ''],
  ['', 'o.thielen@thielen.example', 'Bremen', 'wholesale'],
] as const

export const contacts = people.map(([name, email, city, tags], at) => ({
  email,
  ...(name !== '' && { name }),
  ...(city !== '' && { city }),
  tags: tags.split(',').filter((tag) => tag !== ''),
  spent: at * 12,
}))

export const mailHtml = `<table role="presentation" width="100%">
  <tr><td style="padding:18px 22px">
    <h2>Kestrel Books</h2>
    <p>Dear {{DEFAULT contact.name "reader"}},</p>
    <p>on four Thursdays before Christmas we read aloud in {{contact.city}}. Tea is on us.</p>
    <p><a href="https://kestrel.example/advent">Keep me a chair</a></p>
    <p><a href="{{unsubscribeLink}}">Unsubscribe</a></p>
  </td></tr>
</table>
`

export const segmentGroups = [
  {
    conditions: [
      { category: 'contact-property', property: 'city', operator: 'equals', value: 'Hamburg' },
      { category: 'contact-property', operator: 'has-tag', value: 'fiction' },
      { category: 'engagement', operator: 'not-opened', value: 90 },
    ],
  },
  { conditions: [{ category: 'contact-property', property: 'spent', operator: 'greater-than-or-equal', value: 50 }] },
]

/** A row fails: its number is none. */
export const csv = 'email,Reader,Spent\nzoe@fair.example,Zoe Fair,12\nyan@fair.example,Yan Fair,many\n'

/** A form with everything that a form may have. */
export const newsletterForm = {
  name: 'Newsletter of Kestrel Books',
  captchaType: 'svg',
  termsAndConditions: { show: true, link: 'https://kestrel.example/terms' },
  propertiesStyle: {
    name: { show: true, required: true, placeholder: 'Your name', order: 0 },
    city: { show: true, placeholder: 'City', order: 1 },
    member: { show: true, placeholder: 'I am a member', order: 2 },
  },
}
