import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import type { SignupForm } from '../api/types.js'
import { listPageSize, NamedList } from '../audience/named-page.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { DestroyDialog } from '../ui/dialog.js'
import { useToast } from '../ui/states.js'
import { Second } from '../ui/table.js'
import { formPageUrl } from './form-address.js'

const figures = (projectId: string, id: string) =>
  queryOptions({
    queryKey: [projectId, 'form-figures', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/signup-forms/{id}/figures', { params: { id }, signal }),
    staleTime: 30_000,
  })

const Subscribed = ({ id }: { readonly id: string }) => {
  const { say, number } = useText()
  const { projectId } = useProject()
  const { data } = useQuery(figures(projectId, id))
  if (!data) return '…'
  const { active, paused, unverified, unsubscribed } = data
  return (
    <>
      <div>{say('activeCount', { count: active })}</div>
      <Second>
        {say('listOthers', {
          paused: number(paused),
          unverified: number(unverified),
          unsubscribed: number(unsubscribed),
        })}
      </Second>
    </>
  )
}

export const FormsPage = () => {
  const { say, date, number } = useText()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const [removed, setRemoved] = useState<SignupForm>()
  return (
    <NamedList<SignupForm>
      title="forms"
      icon="screen"
      emptyTitle="noForms"
      emptyText="noFormsText"
      addLabel="newForm"
      nameLabel="name"
      kind="forms"
      permission="content.edit"
      load={(skip, signal) => call(projectId, 'get', '/signup-forms', { query: { limit: listPageSize, skip }, signal })}
      keyOf={({ _id }) => _id}
      nameOf={({ name }) => name}
      hrefOf={({ _id }) => href(`/audience/forms/${_id}`)}
      onAdd={async (name) => {
        const { _id } = await call(projectId, 'post', '/signup-forms', { body: { name, captchaType: 'challenge' } })
        navigate(href(`/audience/forms/${_id}`))
      }}
      columns={[
        {
          id: 'name',
          label: say('form'),
          cell: ({ _id }) => <Second>{formPageUrl(_id).replace(/^https?:\/\//, '')}</Second>,
        },
        ...(may('figures.read')
          ? [
              {
                id: 'subscribed',
                label: say('subscribers'),
                cell: ({ _id }: SignupForm) => <Subscribed id={_id} />,
                text: async ({ _id }: SignupForm) => String((await client.fetchQuery(figures(projectId, _id))).active),
              },
            ]
          : []),
        {
          id: 'lists',
          label: say('lists'),
          numeric: true,
          cell: ({ subscriberListIds }) => number(subscriberListIds.length),
        },
        {
          id: 'confirm',
          label: say('confirmation'),
          cell: ({ doubleOptIn }) => say(doubleOptIn.active ? 'yes' : 'no'),
        },
        { id: 'created', label: say('added'), isShort: true, cell: ({ createdAt }) => date(createdAt) },
      ]}
      menuOf={(form) => [
        { id: 'delete', label: say('deleteMore'), icon: 'trash', danger: true, onAction: () => setRemoved(form) },
      ]}
    >
      {removed && (
        <DestroyDialog
          isOpen
          title={say('deleteFormTitle', { name: removed.name })}
          effect={say('deleteFormEffect')}
          name={removed.name}
          submit={say('delete')}
          onClose={() => setRemoved(undefined)}
          onSubmit={async () => {
            await call(projectId, 'delete', '/signup-forms/{id}', { params: { id: removed._id } })
            toast(say('deleted'))
            await client.invalidateQueries({ queryKey: [projectId, 'forms'] })
          }}
        />
      )}
    </NamedList>
  )
}
