import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { WebhookEndpoint, WebhookEventType } from '../api/types.js'
import { usePasswordAgain } from '../settings/password-field.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { DestroyDialog, FormDialog } from '../ui/dialog.js'
import { Checkbox, Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { useToast } from '../ui/states.js'
import css from './developers.module.css'
import { eventTypes, eventWords, hostOf } from './endpoints.js'

export const useInvalidateWebhooks = () => {
  const { projectId } = useProject()
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: [projectId, 'webhooks'] })
}

const EventTypes = ({
  chosen,
  onChange,
}: {
  readonly chosen: readonly WebhookEventType[]
  readonly onChange: (types: readonly WebhookEventType[]) => void
}) => {
  const { say } = useText()
  return (
    <fieldset className={css.types}>
      <legend>{say('hookTypes')}</legend>
      {eventTypes.map((type) => (
        <Checkbox
          key={type}
          isSelected={chosen.includes(type)}
          onChange={(isSelected) =>
            onChange(eventTypes.filter((one) => (one === type ? isSelected : chosen.includes(one))))
          }
        >
          <span>
            {say(eventWords[type])} <code className={css.type}>{type}</code>
          </span>
        </Checkbox>
      ))}
    </fieldset>
  )
}

export const EndpointDialog = ({
  endpoint,
  onClose,
  onCreated,
}: {
  readonly endpoint?: WebhookEndpoint
  readonly onClose: () => void
  readonly onCreated?: (created: WebhookEndpoint) => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId } = useProject()
  const reload = useInvalidateWebhooks()
  const toast = useToast()
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [types, setTypes] = useState<readonly WebhookEventType[]>(endpoint?.types ?? eventTypes)
  const [batches, setBatches] = useState(endpoint?.batches ?? false)
  const { isMissing, proof, field } = usePasswordAgain()
  const isElsewhere = url.trim() !== endpoint?.url
  return (
    <FormDialog
      title={say(endpoint ? 'editHook' : 'newHook')}
      isOpen
      onClose={onClose}
      submit={say(endpoint ? 'save' : 'createHook')}
      why={lacks({
        [say('hookUrl')]: url.trim() === '',
        [say('hookTypes')]: types.length === 0,
        [say('currentPassword')]: isElsewhere && isMissing,
      })}
      onSubmit={async () => {
        const body = { url: url.trim(), description, types: [...types], batches, ...(isElsewhere && proof) }
        if (endpoint) {
          await call(projectId, 'patch', '/webhooks/{id}', { params: { id: endpoint._id }, body })
          toast(say('saved'))
        } else onCreated?.(await call(projectId, 'post', '/webhooks', { body }))
        await reload()
      }}
    >
      <TextField
        label={say('hookUrl')}
        value={url}
        onChange={setUrl}
        maxLength={2000}
        autoComplete="off"
        placeholder="https://"
        autoFocus
        dense
      />
      <TextField label={say('description')} value={description} onChange={setDescription} maxLength={500} dense />
      <EventTypes chosen={types} onChange={setTypes} />
      <Checkbox isSelected={batches} onChange={setBatches}>
        {say('hookBatches')}
      </Checkbox>
      {isElsewhere && field}
    </FormDialog>
  )
}

type Shown = { readonly endpoint: WebhookEndpoint; readonly onClose: () => void }

export const DeleteEndpoint = ({ endpoint, onClose, onDeleted }: Shown & { readonly onDeleted?: () => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const reload = useInvalidateWebhooks()
  const toast = useToast()
  const name = hostOf(endpoint.url)
  return (
    <DestroyDialog
      isOpen
      title={say('deleteHookTitle', { name })}
      effect={say('deleteHookEffect')}
      name={name}
      submit={say('delete')}
      onClose={onClose}
      onSubmit={async () => {
        await call(projectId, 'delete', '/webhooks/{id}', { params: { id: endpoint._id } })
        toast(say('deleted'))
        onDeleted?.()
        await reload()
      }}
    />
  )
}

export const SwitchEndpoint = ({ endpoint, onClose }: Shown) => {
  const { say } = useText()
  const { projectId } = useProject()
  const reload = useInvalidateWebhooks()
  const name = hostOf(endpoint.url)
  return (
    <FormDialog
      title={say(endpoint.enabled ? 'hookOffTitle' : 'hookOnTitle', { name })}
      isOpen
      onClose={onClose}
      submit={say(endpoint.enabled ? 'hookOff' : 'hookOn')}
      onSubmit={async () => {
        await call(projectId, 'patch', '/webhooks/{id}', {
          params: { id: endpoint._id },
          body: { enabled: !endpoint.enabled },
        })
        await reload()
      }}
    >
      <p>{say(endpoint.enabled ? 'hookOffEffect' : 'hookOnEffect')}</p>
    </FormDialog>
  )
}

export const RotateSecret = ({
  endpoint,
  onClose,
  onRotated,
}: Shown & { readonly onRotated: (changed: WebhookEndpoint) => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const reload = useInvalidateWebhooks()
  const { isMissing, proof, field } = usePasswordAgain()
  return (
    <FormDialog
      title={say('hookRotateTitle', { name: hostOf(endpoint.url) })}
      isOpen
      onClose={onClose}
      submit={say('hookRotateDo')}
      danger
      isDisabled={isMissing}
      onSubmit={async () => {
        onRotated(
          await call(projectId, 'patch', '/webhooks/{id}', {
            params: { id: endpoint._id },
            body: { secretKey: null, ...proof },
          }),
        )
        await reload()
      }}
    >
      <p>{say('hookRotateEffect')}</p>
      {field}
    </FormDialog>
  )
}

export const TestEndpoint = ({ endpoint, onClose }: Shown) => {
  const { say } = useText()
  const { projectId } = useProject()
  const toast = useToast()
  const [type, setType] = useState<WebhookEventType>(endpoint.types.find((one) => eventTypes.includes(one)) ?? 'sent')
  return (
    <FormDialog
      title={say('hookTest')}
      isOpen
      onClose={onClose}
      submit={say('hookTestDo')}
      onSubmit={async () => {
        await call(projectId, 'post', '/webhooks/{id}/test', { params: { id: endpoint._id }, body: { type } })
        toast(say('hookTestTaken'))
      }}
    >
      <p>{say('hookTestText')}</p>
      <Select
        label={say('hookEvent')}
        options={eventTypes.map((value) => ({ value, label: say(eventWords[value]) }))}
        value={type}
        onChange={setType}
        dense
      />
    </FormDialog>
  )
}
