import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import { type Column, Second, Table } from '../ui/table.js'

const kinds = [
  ['deliveries', 'setKeepMails', 'setKeepMailsText'],
  ['figures', 'setKeepFigures', 'setKeepFiguresText'],
  ['events', 'setKeepEvents', 'setKeepEventsText'],
  ['errors', 'setKeepErrors', 'setKeepErrorsText'],
  ['links', 'setKeepLinks', 'setKeepLinksText'],
  ['audit', 'setKeepAudit', 'setKeepAuditText'],
  ['records', 'setKeepRecords', 'setKeepRecordsText'],
] as const
type Kind = (typeof kinds)[number]

export const RetentionPage = () => {
  const { say } = useText()
  const { projectId } = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'retention'],
    queryFn: ({ signal }) => call(projectId, 'get', '/retention', { signal }),
  })
  const keptFor = ([kind]: Kind) => {
    const days = kind === 'records' ? undefined : data?.[kind]
    return days === undefined ? say('setForever') : say('dayCount', { count: days })
  }
  const columns: readonly Column<Kind>[] = [
    { id: 'what', label: say('setKept'), cell: ([, , text]) => <Second>{say(text)}</Second> },
    { id: 'time', label: say('setKeptFor'), isShort: true, cell: keptFor },
  ]
  return (
    <PageFrame title={say('setRetention')}>
      <Note>{say('setRetentionText')}</Note>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : (
        <Table
          label={say('setRetention')}
          columns={columns}
          rows={kinds}
          keyOf={([kind]) => kind}
          nameOf={([, name]) => say(name)}
        />
      )}
    </PageFrame>
  )
}
