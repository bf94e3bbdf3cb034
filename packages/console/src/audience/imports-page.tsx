import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { useLocation } from 'wouter'
import { call, uploadImport } from '../api/client.js'
import { maxPageSize } from '../api/records.js'
import type { Import } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { pagesByOffset } from '../ui/csv.js'
import { Empty, ErrorNote, Note, Skeleton } from '../ui/states.js'
import { type Column, Pager, Second, Table } from '../ui/table.js'
import { isTextFile, notText } from './text-file.js'

export const importStateLabels = {
  uploaded: 'importUploaded',
  running: 'importRunning',
  done: 'importDone',
  cancelled: 'importCancelled',
  failed: 'importFailed',
} as const satisfies Record<Import['state'], keyof Messages>

/** In ms. */
export const importRefresh = 1_500

const Upload = () => {
  const { say, sayServer } = useText()
  const [isBinary, setBinary] = useState(false)
  const { projectId, href } = useProject()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const upload = useMutation({
    mutationFn: (file: File) => uploadImport(projectId, file),
    onSuccess: async ({ _id }) => {
      await client.invalidateQueries({ queryKey: [projectId, 'imports'] })
      navigate(href(`/audience/imports/${_id}`))
    },
  })
  const choose = async (file: File) => {
    upload.reset()
    const isText = await isTextFile(file)
    setBinary(!isText)
    if (isText) upload.mutate(file)
  }
  return (
    <>
      <FileTrigger
        acceptedFileTypes={['text/csv', '.csv', '.txt', '.tsv']}
        onSelect={(files) => {
          const file = files?.[0]
          if (file) void choose(file)
        }}
      >
        <Button kind="primary" icon="up" isDisabled={upload.isPending}>
          {upload.isPending ? say('uploading') : say('chooseCsv')}
        </Button>
      </FileTrigger>
      {isBinary && <Note kind="bad">{sayServer(notText)}</Note>}
      {upload.error && <ErrorNote error={upload.error} />}
    </>
  )
}

export const ImportsPage = () => {
  const { say, number, dateTime, percent } = useText()
  const { projectId, href, may } = useProject()
  const { get, set } = useUrlState()
  const skip = skipOf(get('skip'))
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'imports', skip],
    queryFn: ({ signal }) => call(projectId, 'get', '/imports', { query: { limit: maxPageSize, skip }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.items.some((one) => one.state === 'running') === true ? importRefresh : false,
  })
  const columns: readonly Column<Import>[] = [
    { id: 'file', label: say('file'), cell: ({ uploadedBy }) => uploadedBy && <Second>{uploadedBy}</Second> },
    {
      id: 'state',
      label: say('status'),
      cell: ({ state, progress }) =>
        state === 'running'
          ? `${say(importStateLabels[state])}, ${percent(progress, 0)}`
          : say(importStateLabels[state]),
    },
    { id: 'created', label: say('importCreated'), numeric: true, cell: ({ counts }) => number(counts.created) },
    { id: 'updated', label: say('importUpdated'), numeric: true, cell: ({ counts }) => number(counts.updated) },
    { id: 'unchanged', label: say('importUnchanged'), numeric: true, cell: ({ counts }) => number(counts.unchanged) },
    { id: 'failed', label: say('importFailedRows'), numeric: true, cell: ({ counts }) => number(counts.failed) },
    { id: 'time', label: say('time'), isShort: true, cell: ({ createdAt }) => dateTime(createdAt) },
  ]
  const mayEdit = may('contacts.edit')
  return (
    <PageFrame
      title={say('imports')}
      crumb={{ label: say('contacts'), href: href('/audience/contacts') }}
      actions={mayEdit && data && data.count > 0 && <Upload />}
    >
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.count === 0 ? (
        <Empty icon="people" title={say('noImports')} action={mayEdit && <Upload />}>
          {say('noImportsText')}
        </Empty>
      ) : (
        <div>
          <Table
            label={say('imports')}
            columns={columns}
            rows={data.items}
            pages={pagesByOffset(({ skip: from, limit, signal }) =>
              call(projectId, 'get', '/imports', { query: { skip: from, limit }, signal }),
            )}
            keyOf={({ _id }) => _id}
            nameOf={({ fileName }) => fileName}
            hrefOf={({ _id }) => href(`/audience/imports/${_id}`)}
          />
          <Pager
            label={say('imports')}
            skip={skip}
            limit={maxPageSize}
            count={data.count}
            onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
          />
        </div>
      )}
    </PageFrame>
  )
}
