import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import type { Template } from '../api/types.js'
import { NewCampaign } from '../campaigns/new-campaign.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { DestroyDialog, FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { Empty, ErrorNote, Skeleton, useToast } from '../ui/states.js'
import { Pager } from '../ui/table.js'
import { NewTemplate } from './new-template.js'
import { TemplateCard } from './template-card.js'
import { copyOfTemplate, emailContentOf } from './template-queries.js'
import css from './templates.module.css'

const pageSize = 12

type Chosen = { readonly act: 'rename' | 'delete' | 'use'; readonly template: Template }

export const TemplatesPage = () => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { get, set } = useUrlState()
  const skip = skipOf(get('skip'))
  const [chosen, setChosen] = useState<Chosen>()
  const [name, setName] = useState('')
  const [failed, setFailed] = useState<unknown>()
  const mayEdit = may('content.edit')
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'templates', skip],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/templates', {
        query: { limit: pageSize, skip, sort: 'updatedAt', order: 'desc' },
        signal,
      }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
  const changed = () => client.invalidateQueries({ queryKey: [projectId, 'templates'] })
  const duplicate = async (template: Template) => {
    setFailed(undefined)
    try {
      const { _id } = await copyOfTemplate(projectId, template, say('copyOf', { name: template.name }))
      await changed()
      navigate(href(`/templates/${_id}`))
    } catch (thrown) {
      setFailed(thrown)
    }
  }
  const open = (act: Chosen['act'], template: Template) => () => {
    setName(template.name)
    setChosen({ act, template })
  }
  const menuOf = (template: Template) =>
    mayEdit
      ? [
          { id: 'use', label: say('templateUse'), icon: 'send' as const, onAction: open('use', template) },
          { id: 'rename', label: say('rename'), icon: 'pencil' as const, onAction: open('rename', template) },
          {
            id: 'duplicate',
            label: say('duplicate'),
            icon: 'copy' as const,
            onAction: () => void duplicate(template),
          },
          {
            id: 'delete',
            label: say('deleteMore'),
            icon: 'trash' as const,
            danger: true,
            onAction: open('delete', template),
          },
        ]
      : []
  const add = mayEdit && (
    <Button kind="primary" icon="plus" onPress={() => set({ new: '1' })}>
      {say('newTemplate')}
    </Button>
  )
  const { act, template } = chosen ?? {}
  const close = () => setChosen(undefined)
  return (
    <PageFrame title={say('templates')} actions={add}>
      {failed !== undefined && <ErrorNote error={failed} />}
      {error && !data ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={4} tall />
      ) : data.count === 0 ? (
        <Empty icon="template" title={say('noTemplates')} action={add}>
          {say('noTemplatesText')}
        </Empty>
      ) : (
        <div>
          <ul className={css.cards}>
            {data.items.map((one) => (
              <TemplateCard key={one._id} template={one} menu={menuOf(one)} />
            ))}
          </ul>
          <Pager
            label={say('templates')}
            skip={skip}
            limit={pageSize}
            count={data.count}
            onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
          />
        </div>
      )}
      {mayEdit && (
        <NewTemplate
          isOpen={get('new') === '1'}
          onClose={() => set({ new: undefined })}
          templates={data?.items ?? []}
        />
      )}
      {template && act === 'use' && (
        <NewCampaign
          isOpen
          segmentId={undefined}
          contentOf={() => emailContentOf(projectId, template)}
          onClose={close}
        />
      )}
      {template && act === 'rename' && (
        <FormDialog
          title={say('galleryRename', { name: template.name })}
          isOpen
          onClose={close}
          submit={say('save')}
          why={lacks({ [say('templateName')]: name.trim() === '' })}
          onSubmit={async () => {
            await call(projectId, 'patch', '/templates/{id}', {
              params: { id: template._id },
              body: { name: name.trim() },
            })
            await changed()
          }}
        >
          <TextField label={say('templateName')} value={name} onChange={setName} maxLength={200} autoFocus dense />
        </FormDialog>
      )}
      {template && act === 'delete' && (
        <DestroyDialog
          isOpen
          title={say('deleteTemplateTitle', { name: template.name })}
          effect={say('deleteTemplateEffect')}
          name={template.name}
          submit={say('delete')}
          onClose={close}
          onSubmit={async () => {
            await call(projectId, 'delete', '/templates/{id}', { params: { id: template._id } })
            toast(say('deleted'))
            await changed()
          }}
        />
      )}
    </PageFrame>
  )
}
