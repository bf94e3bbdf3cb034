import { type ReactNode, useState } from 'react'
import { useText } from '../../text/text.js'
import { Button } from '../../ui/button.js'
import { Select, TextField } from '../../ui/field.js'
import { Note } from '../../ui/states.js'
import { withSocialNetwork } from './blocks.js'
import { completedLink } from './completed-link.js'
import { attributeTypeOf, componentOf } from './components.js'
import type { Design } from './design.js'
import { type MjmlNode, withAttribute } from './document.js'
import { ImagePicker } from './image-picker.js'
import { attributeName, frequentAttributesOf, socialNetworks } from './names.js'
import { TextContent } from './text-content.js'
import css from './visual.module.css'

const another = 'another value'

/** One of the choices, or any text such as `{{design.colors.primary}}`. */
const ChoiceField = ({
  label,
  value,
  standard,
  choices,
  isOpen,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly standard: string
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  readonly isOpen: boolean
  readonly onChange: (value: string) => void
}) => {
  const { say } = useText()
  const isOther = value !== '' && !choices.some((choice) => choice.value === value)
  const [isWriting, setWriting] = useState(isOther)
  return (
    <>
      <Select
        dense
        label={label}
        value={isOther || isWriting ? another : value}
        onChange={(next) => {
          setWriting(next === another)
          if (next !== another) onChange(next)
        }}
        options={[
          { value: '', label: standard === '' ? say('visualNoValue') : say('visualDefault', { value: standard }) },
          ...choices,
          ...(isOpen || isOther ? [{ value: another, label: say('visualOther') }] : []),
        ]}
      />
      {(isOther || isWriting) && (
        <TextField
          dense
          label={`${label}: ${say('visualOther')}`}
          labelHidden
          value={value}
          placeholder={standard}
          onChange={onChange}
        />
      )}
    </>
  )
}

const AttributeField = ({
  node,
  name,
  design,
  onChange,
}: {
  readonly node: MjmlNode
  readonly name: string
  readonly design: Design | undefined
  readonly onChange: (value: string) => void
}) => {
  const { say } = useText()
  const [type = 'string', standard = ''] = attributeTypeOf(node.tagName, name) ?? []
  const value = String(node.attributes?.[name] ?? '')
  const label = attributeName(say, node.tagName, name)
  const common = { label, value, standard, onChange }
  const values = /^enum\((.*)\)$/.exec(type)?.[1]?.split(',')
  if (values)
    return <ChoiceField {...common} isOpen={false} choices={values.map((one) => ({ value: one, label: one }))} />
  if (node.tagName === 'mj-social-element' && name === 'name')
    return (
      <ChoiceField
        {...common}
        isOpen
        choices={Object.entries(socialNetworks).map(([icon, label]) => ({ value: `${icon}-noshare`, label }))}
      />
    )
  const variables = type === 'color' ? 'colors' : name === 'font-family' ? 'fontStacks' : undefined
  if (variables)
    return (
      <ChoiceField
        {...common}
        isOpen
        choices={(design?.variables[variables] ?? []).map((one) => ({
          value: `{{design.${variables}.${one.name}}}`,
          label: one.name,
        }))}
      />
    )
  const units = /^unit\w*\(([^)]*)\)/.exec(type)?.[1]?.replace(/,$/, '').replaceAll(',', ', ')
  return (
    <TextField
      dense
      label={units ? `${label} (${units})` : label}
      value={value}
      placeholder={standard}
      onChange={onChange}
      {...(name === 'href' && {
        onBlur: () => {
          const link = completedLink(value)
          if (link !== value) onChange(link)
        },
      })}
    />
  )
}

export const Properties = ({
  node,
  names,
  design,
  onChange,
}: {
  readonly node: MjmlNode
  readonly names: readonly string[]
  readonly design: Design | undefined
  /** `key`: what was changed; changes of the same follow each other while somebody types. */
  readonly onChange: (node: MjmlNode, key: string) => void
}): ReactNode => {
  const { say } = useText()
  const [isWhole, setWhole] = useState(false)
  const component = componentOf(node.tagName)
  if (!component)
    return (
      <div className={css.fields}>
        <Note>{say('visualLocked')}</Note>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <pre className={css.locked} tabIndex={0}>
          {JSON.stringify(node, undefined, 2)}
        </pre>
      </div>
    )
  const isSocialLink = node.tagName === 'mj-social-element'
  const given = Object.keys(node.attributes ?? {})
  const known = Object.keys(component.attributes)
  const common = frequentAttributesOf(node.tagName).filter((name) => known.includes(name))
  const others = [...new Set([...known, ...given])].filter((name) => !common.includes(name))
  const field = (name: string) => (
    <AttributeField
      key={name}
      node={node}
      name={name}
      design={design}
      onChange={(value) =>
        onChange(
          isSocialLink && name === 'name'
            ? withSocialNetwork(node, value, design?.variables.links.map((link) => link.name) ?? [])
            : withAttribute(node, name, value),
          name,
        )
      }
    />
  )
  return (
    <div className={css.fields}>
      {component.hasContent && !isSocialLink && (
        <TextContent
          node={node}
          names={names}
          design={design}
          onChange={(content) => onChange({ ...node, content }, 'content')}
        />
      )}
      {node.tagName === 'mj-image' && (
        <ImagePicker onChoose={(url) => onChange(withAttribute(node, 'src', url), 'image')} />
      )}
      {common.map(field)}
      {others.length > 0 && (
        <Button kind="linklike" aria-expanded={isWhole} onPress={() => setWhole(!isWhole)}>
          {say('visualAllSettings', { count: others.length })}
        </Button>
      )}
      {isWhole && others.map(field)}
    </div>
  )
}
