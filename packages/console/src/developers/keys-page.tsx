import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { ApiKey } from '../api/types.js'
import { usePasswordAgain } from '../settings/password-field.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { CopyDialog } from '../ui/copy-dialog.js'
import { DestroyDialog, FormDialog } from '../ui/dialog.js'
import { Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { Badge, Empty, ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import { Pager, Second, Table } from '../ui/table.js'
import { ReferenceLink } from './shared.js'

type KeyScope = ApiKey['scope']

const pageSize = 20

const scopeWords = {
  full: ['scopeFull', 'scopeFullText'],
  send: ['scopeSend', 'scopeSendText'],
  read: ['scopeRead', 'scopeReadText'],
  webhook: ['scopeWebhook', 'scopeWebhookText'],
} as const satisfies Readonly<Record<KeyScope, readonly [name: keyof Messages, text: keyof Messages]>>

const scopes = Object.keys(scopeWords) as readonly KeyScope[]

const useReload = () => {
  const { projectId } = useProject()
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: [projectId, 'api-keys'] })
}

const NewKeyDialog = ({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void
  readonly onCreated: (key: string) => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId } = useProject()
  const reload = useReload()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<KeyScope>('send')
  const { isMissing, proof, field } = usePasswordAgain()
  return (
    <FormDialog
      title={say('newKey')}
      isOpen
      onClose={onClose}
      submit={say('createKey')}
      why={lacks({ [say('name')]: name.trim() === '', [say('currentPassword')]: isMissing })}
      onSubmit={async () => {
        const { key } = await call(projectId, 'post', '/api-keys', { body: { name: name.trim(), scope, ...proof } })
        onCreated(key)
        await reload()
      }}
    >
      <TextField
        label={say('name')}
        value={name}
        onChange={setName}
        maxLength={100}
        autoComplete="off"
        note={say('keyNameNote')}
        autoFocus
      />
      <Select
        label={say('keyScope')}
        options={scopes.map((value) => ({ value, label: say(scopeWords[value][0]) }))}
        value={scope}
        onChange={setScope}
        note={say(scopeWords[scope][1])}
      />
      {field}
    </FormDialog>
  )
}

const RevokeDialog = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const reload = useReload()
  const toast = useToast()
  const { _id, name } = apiKey
  return (
    <DestroyDialog
      isOpen
      title={say('revokeKeyTitle', { name })}
      effect={say('revokeKeyEffect')}
      name={name}
      submit={say('revokeKeyDo')}
      onClose={onClose}
      onSubmit={async () => {
        await call(projectId, 'delete', '/api-keys/{id}', { params: { id: _id } })
        toast(say('keyIsRevoked', { name }))
        await reload()
      }}
    />
  )
}

const KeyTable = ({
  keys,
  onRevoke,
}: {
  readonly keys: readonly ApiKey[]
  readonly onRevoke: (key: ApiKey) => void
}) => {
  const { say, date, dateTime } = useText()
  return (
    <Table<ApiKey>
      label={say('apiKeys')}
      rows={keys}
      keyOf={({ _id }) => _id}
      nameOf={({ name }) => name}
      columns={[
        { id: 'name', label: say('name'), cell: ({ lastFour }) => <Second>…{lastFour}</Second> },
        {
          id: 'scope',
          label: say('keyScope'),
          cell: ({ scope }) => (Object.hasOwn(scopeWords, scope) ? say(scopeWords[scope][0]) : scope),
        },
        {
          id: 'state',
          label: say('status'),
          cell: ({ revokedAt }) =>
            revokedAt === undefined ? (
              <Badge tone="good" icon="check">
                {say('keyWorks')}
              </Badge>
            ) : (
              <>
                <Badge tone="plain" icon="barred">
                  {say('keyRevoked')}
                </Badge>
                <Second>{dateTime(revokedAt)}</Second>
              </>
            ),
        },
        {
          id: 'used',
          label: say('setLastUsed'),
          isShort: true,
          cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? say('setNeverUsed') : dateTime(lastUsedAt)),
        },
        { id: 'created', label: say('added'), isShort: true, cell: ({ createdAt }) => date(createdAt) },
      ]}
      menuOf={(key) =>
        key.revokedAt === undefined
          ? [{ id: 'revoke', label: say('revokeKey'), icon: 'barred', danger: true, onAction: () => onRevoke(key) }]
          : []
      }
    />
  )
}

/** Working keys before revoked ones, each group newest first. */
const inOrder = (keys: readonly ApiKey[]): readonly ApiKey[] =>
  [...keys].sort(
    (a, b) =>
      Number(a.revokedAt !== undefined) - Number(b.revokedAt !== undefined) || b.createdAt.localeCompare(a.createdAt),
  )

export const KeysPage = () => {
  const { say, number } = useText()
  const { projectId, may } = useProject()
  const { get, set } = useUrlState()
  const [created, setCreated] = useState<string>()
  const [revoked, setRevoked] = useState<ApiKey>()
  const isAllowed = may('settings.edit')
  const skip = skipOf(get('skip'))
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'api-keys'],
    queryFn: async ({ signal }) => inOrder((await call(projectId, 'get', '/api-keys', { signal })).items),
    enabled: isAllowed,
  })
  if (!isAllowed)
    return (
      <PageFrame title={say('apiKeys')}>
        <Note>{say('errorForbidden')}</Note>
      </PageFrame>
    )
  const add = (
    <Button kind="primary" icon="plus" onPress={() => set({ new: '1' })}>
      {say('newKey')}
    </Button>
  )
  return (
    <PageFrame
      title={say('apiKeys')}
      under={data && number(data.length)}
      actions={
        <>
          <ReferenceLink />
          {data && data.length > 0 && add}
        </>
      }
    >
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.length === 0 ? (
        <Empty icon="key" title={say('noKeys')} action={add}>
          {say('noKeysText')}
        </Empty>
      ) : (
        <div>
          <KeyTable keys={data.slice(skip, skip + pageSize)} onRevoke={setRevoked} />
          <Pager
            label={say('apiKeys')}
            skip={skip}
            limit={pageSize}
            count={data.length}
            onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
          />
        </div>
      )}
      {get('new') === '1' && <NewKeyDialog onClose={() => set({ new: undefined })} onCreated={setCreated} />}
      {created !== undefined && (
        <CopyDialog
          isStaying
          title={say('keyShownTitle')}
          text={say('keyShownText')}
          value={created}
          onClose={() => setCreated(undefined)}
        />
      )}
      {revoked && <RevokeDialog key={revoked._id} apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </PageFrame>
  )
}
