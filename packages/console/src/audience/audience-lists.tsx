import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../api/client.js'
import type { CustomField, Segment, SubscriberList } from '../api/types.js'
import { LiftDialog } from '../deliveries/lift-dialog.js'
import { ConfirmationMailSelect } from '../forms/double-opt-in.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { DestroyDialog, FormDialog } from '../ui/dialog.js'
import { Checkbox, Select, TextField } from '../ui/field.js'
import { Note, useToast } from '../ui/states.js'
import { Second } from '../ui/table.js'
import { listPageSize, NamedList } from './named-page.js'

const day = 24 * 60 * 60_000

/** Members of now, and who came and left in 30 days. */
const listStats = (projectId: string, id: string) => {
  const from = new Date(Date.now() - 30 * day).toISOString().slice(0, 10)
  return queryOptions({
    queryKey: [projectId, 'list-stats', id],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/subscriber-lists/{id}/stats', { params: { id }, query: { from }, signal }),
    staleTime: 30_000,
  })
}

const useListStats = (id: string) => useQuery(listStats(useProject().projectId, id)).data

const ListGrowth = ({ id }: { readonly id: string }) => {
  const { number } = useText()
  const data = useListStats(id)
  if (!data) return '…'
  const { subscribed, unsubscribedEvents } = data
  return subscribed + unsubscribedEvents === 0 ? '–' : `+${number(subscribed)} −${number(unsubscribedEvents)}`
}

const ListCount = ({ id }: { readonly id: string }) => {
  const { say, number } = useText()
  const { href } = useProject()
  const data = useListStats(id)
  if (!data) return '…'
  const to = (status: string) => `${href('/audience/contacts')}?${new URLSearchParams({ list: id, status })}`
  return (
    <>
      <div>
        <Link href={to('active')}>{say('activeCount', { count: data.active })}</Link>
      </div>
      <Second>
        {say('listOthers', {
          paused: number(data.paused),
          unverified: number(data.unverified),
          unsubscribed: number(data.unsubscribed),
        })}
      </Second>
    </>
  )
}

const EditList = ({ list, onClose }: { readonly list: SubscriberList; readonly onClose: () => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const [name, setName] = useState(list.name)
  const [description, setDescription] = useState(list.description)
  const [isPrivate, setPrivate] = useState(list.private)
  const optIn = list.doubleOptIn
  const [confirms, setConfirms] = useState(optIn.active)
  const [emailId, setEmailId] = useState(optIn.emailId)
  return (
    <FormDialog
      title={say('editList')}
      isOpen
      onClose={onClose}
      submit={say('save')}
      isDisabled={name.trim() === '' || (confirms && emailId === '')}
      onSubmit={async () => {
        await call(projectId, 'patch', '/subscriber-lists/{id}', {
          params: { id: list._id },
          body: {
            name: name.trim(),
            description,
            private: isPrivate,
            ...((confirms !== optIn.active || emailId !== optIn.emailId) && {
              doubleOptIn: { ...optIn, active: confirms, emailId },
            }),
          },
        })
        await client.invalidateQueries({ queryKey: [projectId] })
      }}
    >
      <TextField label={say('name')} value={name} onChange={setName} maxLength={200} autoFocus dense />
      <TextField
        label={say('description')}
        value={description}
        onChange={setDescription}
        maxLength={2000}
        rows={3}
        dense
      />
      <Checkbox isSelected={confirms} onChange={setConfirms}>
        {say('doubleOptIn')}
      </Checkbox>
      {confirms && <ConfirmationMailSelect value={emailId} onChange={setEmailId} />}
      <Checkbox isSelected={isPrivate} onChange={setPrivate}>
        {say('privateList')}
      </Checkbox>
    </FormDialog>
  )
}

export const ListsPage = () => {
  const { say, date } = useText()
  const { projectId, href } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [edited, setEdited] = useState<SubscriberList>()
  const [removed, setRemoved] = useState<SubscriberList>()
  return (
    <NamedList<SubscriberList>
      title="lists"
      icon="list"
      emptyTitle="noLists"
      emptyText="noListsText"
      addLabel="newList"
      nameLabel="name"
      kind="lists"
      load={(skip, signal) =>
        call(projectId, 'get', '/subscriber-lists', { query: { limit: listPageSize, skip }, signal })
      }
      keyOf={({ _id }) => _id}
      nameOf={({ name }) => name}
      hrefOf={({ _id }) => `${href('/audience/contacts')}?list=${_id}`}
      onAdd={async (name) => {
        await call(projectId, 'post', '/subscriber-lists', { body: { name } })
      }}
      columns={[
        {
          id: 'name',
          label: say('list'),
          cell: ({ description }) => (description === '' ? null : <Second>{description}</Second>),
        },
        {
          id: 'count',
          label: say('subscribers'),
          cell: ({ _id }) => <ListCount id={_id} />,
          text: async ({ _id }) => String((await client.fetchQuery(listStats(projectId, _id))).active),
        },
        {
          id: 'growth',
          label: say('listGrowth'),
          isShort: true,
          cell: ({ _id }) => <ListGrowth id={_id} />,
          text: async ({ _id }) => {
            const { subscribed, unsubscribedEvents } = await client.fetchQuery(listStats(projectId, _id))
            return `${subscribed} / ${unsubscribedEvents}`
          },
        },
        {
          id: 'confirm',
          label: say('confirmation'),
          cell: ({ doubleOptIn }) => say(doubleOptIn.active ? 'yes' : 'no'),
        },
        { id: 'created', label: say('added'), isShort: true, cell: ({ createdAt }) => date(createdAt) },
      ]}
      menuOf={(list) => [
        { id: 'edit', label: say('edit'), icon: 'pencil', onAction: () => setEdited(list) },
        { id: 'delete', label: say('deleteMore'), icon: 'trash', danger: true, onAction: () => setRemoved(list) },
      ]}
    >
      {edited && <EditList key={edited._id} list={edited} onClose={() => setEdited(undefined)} />}
      {removed && (
        <DestroyDialog
          isOpen
          title={say('deleteListTitle', { name: removed.name })}
          effect={say('deleteListEffect')}
          name={removed.name}
          submit={say('delete')}
          onClose={() => setRemoved(undefined)}
          onSubmit={async () => {
            await call(projectId, 'delete', '/subscriber-lists/{id}', { params: { id: removed._id } })
            toast(say('deleted'))
            await client.invalidateQueries({ queryKey: [projectId] })
          }}
        />
      )}
    </NamedList>
  )
}

export const SegmentsPage = () => {
  const { say, date } = useText()
  const { projectId, href } = useProject()
  const [, navigate] = useLocation()
  return (
    <NamedList<Segment>
      title="segments"
      icon="segment"
      emptyTitle="noSegments"
      emptyText="noSegmentsText"
      addLabel="newSegment"
      nameLabel="name"
      kind="segments"
      load={(skip, signal) => call(projectId, 'get', '/segments', { query: { limit: listPageSize, skip }, signal })}
      keyOf={({ _id }) => _id}
      nameOf={({ name }) => name}
      hrefOf={({ _id }) => href(`/audience/segments/${_id}`)}
      onAdd={async (name) => {
        const { _id } = await call(projectId, 'post', '/segments', { body: { name, groups: [] } })
        navigate(href(`/audience/segments/${_id}`))
      }}
      columns={[
        {
          id: 'name',
          label: say('segment'),
          cell: ({ groups }) => (
            <Second>
              {say('conditionCount', { count: groups.reduce((sum, { conditions }) => sum + conditions.length, 0) })}
            </Second>
          ),
        },
        {
          id: 'warnings',
          label: say('warnings'),
          cell: ({ warnings = [] }) => (warnings.length > 0 ? warnings.join(' ') : '–'),
        },
        { id: 'changed', label: say('changed'), isShort: true, cell: ({ updatedAt }) => date(updatedAt) },
      ]}
    />
  )
}

type Suppressed = { readonly _id: string; readonly email: string; readonly reason: string; readonly createdAt: string }

export const SuppressionsPage = () => {
  const { say, dateTime } = useText()
  const { projectId, href, may } = useProject()
  const [reason, setReason] = useState('')
  const [lifted, setLifted] = useState<Suppressed>()
  if (!may('addresses.read'))
    return (
      <PageFrame title={say('suppressions')}>
        <Note>{say('errorForbidden')}</Note>
      </PageFrame>
    )
  return (
    <NamedList<Suppressed>
      title="suppressions"
      icon="barred"
      emptyTitle="noSuppressions"
      emptyText="noSuppressionsText"
      addLabel="newSuppression"
      submitLabel="suppressOne"
      nameLabel="email"
      nameField="email"
      kind="suppressions"
      exports={may('addresses.export')}
      permission="suppressions.edit"
      load={(skip, signal) =>
        call(projectId, 'get', '/suppression-list', { query: { limit: listPageSize, skip }, signal })
      }
      keyOf={({ _id }) => _id}
      nameOf={({ email }) => email}
      hrefOf={({ email }) => `${href('/deliveries')}?${new URLSearchParams({ address: email })}`}
      onAdd={async (email) => {
        await call(projectId, 'post', '/suppression-list', { body: { email, ...(reason !== '' && { reason }) } })
        setReason('')
      }}
      form={<TextField label={say('reason')} value={reason} onChange={setReason} maxLength={500} dense />}
      columns={[
        { id: 'email', label: say('email'), cell: () => null },
        { id: 'reason', label: say('reason'), cell: ({ reason: why }) => (why === '' ? '–' : why) },
        { id: 'created', label: say('time'), isShort: true, cell: ({ createdAt }) => dateTime(createdAt) },
      ]}
      menuOf={(one) => [{ id: 'lift', label: say('liftMore'), icon: 'check', onAction: () => setLifted(one) }]}
    >
      {lifted && <LiftDialog key={lifted._id} suppression={lifted} onClose={() => setLifted(undefined)} />}
    </NamedList>
  )
}

type ContactTag = { readonly _id: string; readonly value: string; readonly createdAt: string }
type FieldType = CustomField['type']

export const fieldTypeLabels = {
  string: 'typeText',
  number: 'typeNumber',
  boolean: 'typeBoolean',
  date: 'typeDate',
} as const

const TagDialog = ({
  tag: { _id: id, value: old },
  onClose,
}: {
  readonly tag: ContactTag
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const [value, setValue] = useState(old)
  return (
    <FormDialog
      title={say('tag')}
      isOpen
      onClose={onClose}
      submit={say('save')}
      isDisabled={value.trim() === '' || value.trim() === old}
      onSubmit={async () => {
        await call(projectId, 'patch', '/contacts/tags/{id}', { params: { id }, body: { value: value.trim() } })
        await client.invalidateQueries({ queryKey: [projectId] })
      }}
    >
      <TextField
        label={say('tag')}
        note={say('renameTagText')}
        value={value}
        onChange={setValue}
        maxLength={200}
        autoFocus
        dense
      />
    </FormDialog>
  )
}

export const FieldsPage = () => {
  const { say, date } = useText()
  const { projectId, href } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [type, setType] = useState<FieldType>('string')
  const [field, setField] = useState<CustomField>()
  const [tag, setTag] = useState<ContactTag>()
  const [renamed, setRenamed] = useState<ContactTag>()
  const done = async () => {
    toast(say('deleted'))
    await client.invalidateQueries({ queryKey: [projectId] })
  }
  return (
    <PageFrame title={say('fieldsAndTags')}>
      <NamedList<CustomField>
        isBare
        title="fieldsTitle"
        icon="list"
        emptyTitle="noFields"
        emptyText="noFieldsText"
        addLabel="newField"
        nameLabel="name"
        kind="customFields"
        load={async (skip, signal) => {
          const { items } = await call(projectId, 'get', '/contacts/fields', { signal })
          return { items: items.slice(skip, skip + listPageSize), count: items.length }
        }}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        onAdd={async (name) => {
          await call(projectId, 'post', '/contacts/fields', { body: { name, type } })
        }}
        form={
          <Select
            label={say('type')}
            value={type}
            onChange={setType}
            options={Object.entries(fieldTypeLabels).map(([value, label]) => ({
              value: value as FieldType,
              label: say(label),
            }))}
            dense
          />
        }
        columns={[
          { id: 'name', label: say('field'), cell: () => null },
          { id: 'type', label: say('type'), cell: (one) => say(fieldTypeLabels[one.type]) },
          { id: 'tag', label: say('mergeTag'), cell: ({ name }) => <code>{`{{contact.${name}}}`}</code> },
        ]}
        menuOf={(one) => [
          { id: 'delete', label: say('deleteMore'), icon: 'trash', danger: true, onAction: () => setField(one) },
        ]}
      />
      <NamedList<ContactTag>
        isBare
        title="tags"
        icon="tag"
        emptyTitle="noTags"
        emptyText="noTagsText"
        addLabel="newTag"
        nameLabel="tag"
        nameField="value"
        kind="tags"
        load={(skip, signal) =>
          call(projectId, 'get', '/contacts/tags', { query: { limit: listPageSize, skip }, signal })
        }
        keyOf={({ _id }) => _id}
        nameOf={({ value }) => value}
        hrefOf={({ value }) => `${href('/audience/contacts')}?${new URLSearchParams({ tag: value })}`}
        onAdd={async (value) => {
          await call(projectId, 'post', '/contacts/tags', { body: { value } })
        }}
        columns={[
          { id: 'value', label: say('tag'), cell: () => null },
          { id: 'created', label: say('added'), isShort: true, cell: ({ createdAt }) => date(createdAt) },
        ]}
        menuOf={(one) => [
          { id: 'rename', label: say('rename'), icon: 'pencil', onAction: () => setRenamed(one) },
          { id: 'delete', label: say('deleteMore'), icon: 'trash', danger: true, onAction: () => setTag(one) },
        ]}
      />
      {field && (
        <DestroyDialog
          isOpen
          title={say('deleteFieldTitle', { name: field.name })}
          effect={say('deleteFieldEffect')}
          name={field.name}
          submit={say('delete')}
          onClose={() => setField(undefined)}
          onSubmit={async () => {
            await call(projectId, 'delete', '/contacts/fields/{name}', { params: { name: field.name } })
            await done()
          }}
        />
      )}
      {renamed && <TagDialog tag={renamed} onClose={() => setRenamed(undefined)} />}
      {tag && (
        <DestroyDialog
          isOpen
          title={say('deleteTagTitle', { name: tag.value })}
          effect={say('deleteTagEffect')}
          name={tag.value}
          submit={say('delete')}
          onClose={() => setTag(undefined)}
          onSubmit={async () => {
            await call(projectId, 'delete', '/contacts/tags/{id}', { params: { id: tag._id } })
            await done()
          }}
        />
      )}
    </PageFrame>
  )
}
