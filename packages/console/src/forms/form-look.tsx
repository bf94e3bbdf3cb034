import { problemOf } from '../api/errors.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { TextField } from '../ui/field.js'
import { Part, type PartProps } from './form-part.js'
import css from './forms.module.css'

type Look = {
  readonly title: keyof Messages
  readonly font: 'formFontStyle' | 'btnFont' | 'successFont'
  readonly size: 'formFontSize' | 'btnFontSize' | 'successFontSize'
  readonly colours: readonly (readonly [
    field: 'formFontColor' | 'btnFontColor' | 'btnColor' | 'successFontColor',
    label: keyof Messages,
  ])[]
}

const looks: readonly Look[] = [
  { title: 'formLookText', font: 'formFontStyle', size: 'formFontSize', colours: [['formFontColor', 'formColour']] },
  {
    title: 'formLookButton',
    font: 'btnFont',
    size: 'btnFontSize',
    colours: [
      ['btnColor', 'formButtonColour'],
      ['btnFontColor', 'formColour'],
    ],
  },
  {
    title: 'formLookSuccess',
    font: 'successFont',
    size: 'successFontSize',
    colours: [['successFontColor', 'formColour']],
  },
]

/** What the browser's own chooser can show. */
const isPlainColour = (value: string) => /^#[\da-f]{6}$/i.test(value)

export const LookPart = ({ form, problems, isReadOnly, write }: PartProps) => {
  const { say } = useText()
  return (
    <Part title={say('formLook')} note={say('formLookNote')}>
      {looks.map(({ title, font, size, colours }) => (
        <fieldset key={title} className={css.group} disabled={isReadOnly}>
          <legend>{say(title)}</legend>
          <div className={css.look}>
            <TextField
              label={say('formFont')}
              value={form[font]}
              onChange={(value) => write({ [font]: value })}
              maxLength={200}
              isDisabled={isReadOnly}
              error={problemOf(problems, font)}
              dense
            />
            <TextField
              label={say('formSize')}
              value={form[size]}
              onChange={(value) => write({ [size]: value })}
              maxLength={20}
              isDisabled={isReadOnly}
              error={problemOf(problems, size)}
              dense
            />
            {colours.map(([field, label]) => (
              <div key={field} className={css.colour}>
                <TextField
                  label={say(label)}
                  value={form[field]}
                  onChange={(value) => write({ [field]: value })}
                  maxLength={80}
                  isDisabled={isReadOnly}
                  error={problemOf(problems, field)}
                  dense
                />
                <input
                  type="color"
                  aria-label={say('formChoose', { name: `${say(title)}: ${say(label)}` })}
                  value={isPlainColour(form[field]) ? form[field] : '#000000'}
                  disabled={isReadOnly}
                  onChange={({ target }) => write({ [field]: target.value })}
                />
              </div>
            ))}
          </div>
        </fieldset>
      ))}
    </Part>
  )
}
