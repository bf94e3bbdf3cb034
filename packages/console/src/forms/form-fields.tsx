import { Link } from 'wouter'
import { problemOf } from '../api/errors.js'
import { useFields, useLists } from '../api/records.js'
import type { SignupForm } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Checkbox, Select, TextField } from '../ui/field.js'
import { Long } from '../ui/long.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import { Part, type PartProps } from './form-part.js'
import css from './forms.module.css'

export const BasicsPart = ({ form, problems, isReadOnly, write }: PartProps) => {
  const { say } = useText()
  const { projectId } = useProject()
  const lists = useLists(projectId)
  const chosen = form.subscriberListIds
  return (
    <Part title={say('formBasics')}>
      <TextField
        label={say('name')}
        value={form.name}
        onChange={(name) => write({ name })}
        maxLength={200}
        isDisabled={isReadOnly}
        error={problemOf(problems, 'name')}
        note={say('formNameNote')}
      />
      <fieldset className={css.group} disabled={isReadOnly}>
        <legend>{say('formLists')}</legend>
        {lists.error ? (
          <ErrorNote error={lists.error} onRetry={() => void lists.refetch()} />
        ) : !lists.data ? (
          <Skeleton rows={2} />
        ) : (
          <div className={css.choices}>
            {lists.data.map(({ _id, name }) => (
              <Checkbox
                key={_id}
                isSelected={chosen.includes(_id)}
                isDisabled={isReadOnly}
                onChange={(isChosen) =>
                  write({ subscriberListIds: isChosen ? [...chosen, _id] : chosen.filter((id) => id !== _id) })
                }
              >
                <Long>{name}</Long>
              </Checkbox>
            ))}
          </div>
        )}
        {chosen.length === 0 && <Note kind="warn">{say('formNeedsList')}</Note>}
      </fieldset>
      <Select
        label={say('formLayout')}
        value={form.formLayout === 'horizontal' ? 'horizontal' : 'vertical'}
        onChange={(formLayout) => write({ formLayout })}
        isDisabled={isReadOnly}
        options={[
          { value: 'vertical', label: say('formVertical') },
          { value: 'horizontal', label: say('formHorizontal') },
        ]}
        dense
      />
    </Part>
  )
}

type Styles = SignupForm['propertiesStyle']
type Style = Styles[string]

const unused: Style = { show: false, required: false, placeholder: '', order: 0 }

/** Fields in the form's order, then the fields that it leaves out. */
const inOrder = (names: readonly string[], styles: Styles): readonly string[] => {
  const styleOf = (name: string): Style => styles[name] ?? unused
  return [...names].sort(
    (a, b) =>
      Number(styleOf(b).show) - Number(styleOf(a).show) || styleOf(a).order - styleOf(b).order || (a < b ? -1 : 1),
  )
}

export const FieldsPart = ({ form, problems, isReadOnly, write }: PartProps) => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const fields = useFields(projectId)
  const styles = form.propertiesStyle
  const names = inOrder(['name', ...(fields.data ?? []).map(({ name }) => name)], styles)
  const shown = names.filter((name) => styles[name]?.show === true)
  const change = (name: string, changes: Partial<Style>) =>
    write({ propertiesStyle: { ...styles, [name]: { ...(styles[name] ?? unused), ...changes } } })
  const show = (name: string, isShown: boolean) =>
    change(name, isShown ? { show: true, order: shown.length } : { show: false, required: false })
  const move = (name: string, by: number) => {
    const next = [...shown]
    const at = next.indexOf(name)
    next.splice(at, 1)
    next.splice(at + by, 0, name)
    const moved = next.map((one, order): [string, Style] => [one, { ...(styles[one] ?? unused), order }])
    write({ propertiesStyle: { ...styles, ...Object.fromEntries(moved) } })
  }
  return (
    <Part title={say('formFields')} note={say('formFieldsNote')}>
      {fields.error && <ErrorNote error={fields.error} onRetry={() => void fields.refetch()} />}
      <ul className={css.fields}>
        {names.map((name) => {
          const style = styles[name] ?? unused
          const at = shown.indexOf(name)
          return (
            <li key={name}>
              <div className={css.fieldHead}>
                <Checkbox isSelected={style.show} isDisabled={isReadOnly} onChange={(isShown) => show(name, isShown)}>
                  <Long>{name === 'name' ? say('name') : name}</Long>
                </Checkbox>
                {style.show && (
                  <>
                    <Checkbox
                      isSelected={style.required}
                      isDisabled={isReadOnly}
                      onChange={(required) => change(name, { required })}
                    >
                      {say('formRequired')}
                    </Checkbox>
                    <span className={css.moves}>
                      <Button
                        kind="quiet"
                        small
                        icon="up"
                        aria-label={say('formMoveUp', { name })}
                        isDisabled={isReadOnly}
                        why={at === 0 ? say('isFirst') : undefined}
                        onPress={() => move(name, -1)}
                      />
                      <Button
                        kind="quiet"
                        small
                        icon="down"
                        aria-label={say('formMoveDown', { name })}
                        isDisabled={isReadOnly}
                        why={at === shown.length - 1 ? say('isLast') : undefined}
                        onPress={() => move(name, 1)}
                      />
                    </span>
                  </>
                )}
              </div>
              {style.show && (
                <TextField
                  label={say('formFieldLabel', { name })}
                  value={style.placeholder}
                  onChange={(placeholder) => change(name, { placeholder })}
                  maxLength={300}
                  isDisabled={isReadOnly}
                  error={problemOf(problems, `propertiesStyle.${name}`)}
                  dense
                />
              )}
            </li>
          )
        })}
      </ul>
      <p>
        <Link href={href('/audience/fields')}>{say('formMoreFields')}</Link>
      </p>
    </Part>
  )
}

export const TextsPart = ({ form, problems, isReadOnly, write }: PartProps) => {
  const { say } = useText()
  const terms = form.termsAndConditions
  const changeTerms = (changes: Partial<typeof terms>) => write({ termsAndConditions: { ...terms, ...changes } })
  const text = (field: 'emailPlaceholder' | 'captchaPlaceholder' | 'btnLabel', label: string) => (
    <TextField
      label={label}
      value={form[field]}
      onChange={(value) => write({ [field]: value })}
      maxLength={300}
      isDisabled={isReadOnly}
      error={problemOf(problems, field)}
      dense
    />
  )
  return (
    <Part title={say('formTexts')} note={say('formTextsNote')}>
      {text('emailPlaceholder', say('formEmailText'))}
      {text('btnLabel', say('formButtonText'))}
      {(form.captchaType ?? (form.showCaptcha ? 'svg' : 'none')) === 'svg' &&
        text('captchaPlaceholder', say('formCaptchaText'))}
      <TextField
        label={say('formSuccessText')}
        value={form.successMessage}
        onChange={(value) => write({ successMessage: value })}
        rows={3}
        maxLength={2000}
        isDisabled={isReadOnly}
        error={problemOf(problems, 'successMessage')}
        dense
      />
      <TextField
        label={say('formRedirect')}
        value={form.redirectLink}
        onChange={(redirectLink) => write({ redirectLink })}
        placeholder="https://"
        isDisabled={isReadOnly}
        error={problemOf(problems, 'redirectLink')}
        note={say('formRedirectNote')}
      />
      <Checkbox isSelected={terms.show} isDisabled={isReadOnly} onChange={(show) => changeTerms({ show })}>
        {say('formTermsShow')}
      </Checkbox>
      {terms.show && (
        <>
          <TextField
            label={say('formTermsBefore')}
            value={terms.label}
            onChange={(label) => changeTerms({ label })}
            maxLength={300}
            isDisabled={isReadOnly}
            error={problemOf(problems, 'termsAndConditions.label')}
            dense
          />
          <TextField
            label={say('formTermsWords')}
            value={terms.linkLabel}
            onChange={(linkLabel) => changeTerms({ linkLabel })}
            maxLength={300}
            isDisabled={isReadOnly}
            error={problemOf(problems, 'termsAndConditions.linkLabel')}
            dense
          />
          <TextField
            label={say('formTermsLink')}
            value={terms.link}
            onChange={(link) => changeTerms({ link })}
            placeholder="https://"
            isDisabled={isReadOnly}
            error={problemOf(problems, 'termsAndConditions.link')}
          />
        </>
      )}
    </Part>
  )
}
