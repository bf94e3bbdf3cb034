import { useState } from 'react'
import { problemOf } from '../api/errors.js'
import { useUnsavedGuard } from '../shell/unsaved-guard.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { Note } from '../ui/states.js'
import { Part, type PartProps } from './form-part.js'
import css from './forms.module.css'

type Kind = 'work' | 'widget' | 'svg' | 'none'

export const CaptchaPart = ({ form, problems, isReadOnly, write }: PartProps) => {
  const { say } = useText()
  const lacks = useLacks()
  const type = form.captchaType ?? (form.showCaptcha ? 'svg' : 'none')
  const hasKeys = form.challengeSiteKey !== '' || form.challengeSecretKeyHint !== undefined
  const [isWidget, setWidget] = useState(hasKeys)
  const [secret, setSecret] = useState('')
  useUnsavedGuard(secret !== '')
  const kind: Kind = type !== 'challenge' ? type : isWidget ? 'widget' : 'work'
  const choose = (next: Kind) => {
    setWidget(next === 'widget')
    if (next === 'widget') return write({ captchaType: 'challenge' })
    if (next !== 'work') return write({ captchaType: next })
    write({ captchaType: 'challenge', challengeSiteKey: '', ...(hasKeys && { challengeSecretKey: '' }) })
  }
  const texts = {
    work: 'formWorkText',
    widget: 'formWidgetText',
    svg: 'formSvgText',
    none: 'formNoCaptchaText',
  } as const
  return (
    <Part title={say('formCaptcha')}>
      <Select
        label={say('formCaptchaKind')}
        value={kind}
        onChange={choose}
        isDisabled={isReadOnly}
        options={[
          { value: 'work', label: say('formWork') },
          { value: 'widget', label: say('formWidget') },
          { value: 'svg', label: say('formSvg') },
          { value: 'none', label: say('formNoCaptcha') },
        ]}
        note={say(texts[kind])}
      />
      {kind === 'widget' && (
        <>
          <TextField
            label={say('formSiteKey')}
            value={form.challengeSiteKey}
            onChange={(challengeSiteKey) => write({ challengeSiteKey })}
            maxLength={500}
            isDisabled={isReadOnly}
            error={problemOf(problems, 'challengeSiteKey')}
            dense
          />
          <div className={css.row}>
            <TextField
              label={say('formSecretKey')}
              type="password"
              autoComplete="off"
              value={secret}
              onChange={setSecret}
              maxLength={500}
              isDisabled={isReadOnly}
              {...(form.challengeSecretKeyHint !== undefined && { placeholder: form.challengeSecretKeyHint })}
              error={problemOf(problems, 'challengeSecretKey')}
              dense
            />
            <Button
              isDisabled={isReadOnly}
              why={lacks({ [say('formSecretKey')]: secret === '' })}
              onPress={() => {
                write({ challengeSecretKey: secret })
                setSecret('')
              }}
            >
              {say('formStoreKey')}
            </Button>
          </div>
          {(form.challengeSiteKey === '') !== (form.challengeSecretKeyHint === undefined) && (
            <Note kind="warn">{say('formBothKeys')}</Note>
          )}
          <div className={css.look}>
            <Select
              label={say('theme')}
              value={form.challengeTheme}
              onChange={(challengeTheme) => write({ challengeTheme })}
              isDisabled={isReadOnly}
              options={[
                { value: 'auto', label: say('themeSystem') },
                { value: 'light', label: say('themeLight') },
                { value: 'dark', label: say('themeDark') },
              ]}
              dense
            />
            <Select
              label={say('formSize')}
              value={form.challengeSize}
              onChange={(challengeSize) => write({ challengeSize })}
              isDisabled={isReadOnly}
              options={[
                { value: 'flexible', label: say('formFlexible') },
                { value: 'normal', label: say('formNormal') },
                { value: 'compact', label: say('formCompact') },
              ]}
              dense
            />
            <Select
              label={say('formAppearance')}
              value={form.challengeAppearance}
              onChange={(challengeAppearance) => write({ challengeAppearance })}
              isDisabled={isReadOnly}
              options={[
                { value: 'always', label: say('formAlways') },
                { value: 'execute', label: say('formOnSubmit') },
                { value: 'interaction-only', label: say('formIfNeeded') },
              ]}
              dense
            />
          </div>
        </>
      )}
    </Part>
  )
}
