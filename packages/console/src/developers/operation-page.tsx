import { useParams } from 'wouter'
import { apiBaseUrl } from '../api/client.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { CodeCard } from '../ui/code-card.js'
import { Empty, ErrorNote, Skeleton } from '../ui/states.js'
import { type Column, Second, Table } from '../ui/table.js'
import { type ApiDescription, type Operation, responsesOf, schemaOf, typeOf } from './description.js'
import css from './developers.module.css'
import { routeOf } from './reference-page.js'
import { requestSamples } from './request-samples.js'
import { useApiDescription } from './shared.js'

type Field = { readonly name: string; readonly type: string; readonly text: string; readonly isRequired: boolean }

const filterPrefix = 'filter['

const parametersOf = ({ parameters = [] }: Operation): readonly Field[] =>
  parameters
    .filter(({ name }) => name !== 'projectId' && !name.startsWith(filterPrefix))
    .map(({ name, schema, description = '', required = false, ...one }) => ({
      name: one.in === 'header' ? `${name}:` : one.in === 'path' ? `{${name}}` : name,
      type: typeOf(schema),
      text: description,
      isRequired: required,
    }))

const filtersOf = ({ parameters = [] }: Operation): readonly string[] =>
  parameters.filter(({ name }) => name.startsWith(filterPrefix)).map(({ name }) => name)

const bodyOf = (description: ApiDescription, { requestBody }: Operation): readonly Field[] => {
  const [media] = Object.values(requestBody?.content ?? {})
  const { properties = {}, required = [] } = media ? schemaOf(description, media.schema) : {}
  return Object.entries(properties)
    .map(([name, schema]) => ({
      name,
      type: typeOf(schema),
      text: schemaOf(description, schema).description ?? '',
      isRequired: required.includes(name),
    }))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

/** English, with code between backticks. */
const Prose = ({ text }: { readonly text: string }) => (
  <span lang="en">
    {text === ''
      ? '–'
      : text.split('`').map((part, at) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not change places
          at % 2 === 0 ? part : <code key={at}>{part}</code>,
        )}
  </span>
)

const Type = ({ name }: { readonly name: string }) => <code className={name.length < 24 ? css.whole : ''}>{name}</code>

const Fields = ({ title, fields }: { readonly title: string; readonly fields: readonly Field[] }) => {
  const { say } = useText()
  if (fields.length === 0) return null
  const columns: readonly Column<Field>[] = [
    { id: 'name', label: say('name'), cell: ({ isRequired }) => isRequired && <Second>{say('apiRequired')}</Second> },
    { id: 'type', label: say('type'), cell: ({ type }) => <Type name={type} /> },
    { id: 'text', label: say('apiMeaning'), cell: ({ text }) => <Prose text={text} /> },
  ]
  return (
    <section className={css.stack}>
      <h2>{title}</h2>
      <Table
        label={title}
        columns={columns}
        rows={fields}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        exports={false}
      />
    </section>
  )
}

const Described = ({
  description,
  operation,
}: {
  readonly description: ApiDescription
  readonly operation: Operation
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const scopes = [...new Set((operation.security ?? []).flatMap(({ apiKey = [] }) => apiKey))]
  const filters = filtersOf(operation)
  const responses = responsesOf(description, operation)
  return (
    <>
      <p>
        <code className={css.url}>{routeOf(operation)}</code>
      </p>
      {operation.description && (
        <p>
          <Prose text={operation.description} />
        </p>
      )}
      {scopes.length > 0 && <p className={css.quiet}>{say('apiScopes', { scopes: scopes.join(', ') })}</p>}
      <CodeCard
        title={say('apiExample')}
        languages={{ curl: 'curl', typescript: 'TypeScript' }}
        codeIn={(language) => requestSamples[language]({ description, operation, baseUrl: apiBaseUrl(), projectId })}
      />
      <Fields title={say('apiParameters')} fields={parametersOf(operation)} />
      {filters.length > 0 && <p className={css.quiet}>{say('apiFilters', { names: filters.join(' ') })}</p>}
      <Fields title={say('apiBody')} fields={bodyOf(description, operation)} />
      <section className={css.stack}>
        <h2>{say('apiResponses')}</h2>
        <Table
          label={say('apiResponses')}
          columns={[
            {
              id: 'status',
              label: say('status'),
              cell: ({ name }) =>
                name && (
                  <Second>
                    <span className={css.whole}>{name}</span>
                  </Second>
                ),
            },
            { id: 'type', label: say('apiResult'), cell: ({ type }) => (type ? <Type name={type} /> : '–') },
            { id: 'text', label: say('apiMeaning'), cell: ({ text }) => <Prose text={text} /> },
          ]}
          rows={responses}
          keyOf={({ status }) => status}
          nameOf={({ status }) => status}
          exports={false}
        />
      </section>
    </>
  )
}

export const OperationPage = () => {
  const { id } = useParams<{ readonly id: string }>()
  const { say } = useText()
  const { href } = useProject()
  const { data, error, refetch } = useApiDescription()
  const operation = data?.operations.find(({ operationId }) => operationId === id)
  return (
    <PageFrame
      title={operation?.summary ?? (data ? say('apiUnknown') : id)}
      crumb={{ label: say('apiReference'), href: href('/developers/api') }}
    >
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={8} />
      ) : operation ? (
        <Described description={data} operation={operation} />
      ) : (
        <Empty title={say('apiUnknown')} icon="code">
          {say('apiUnknownText')}
        </Empty>
      )}
    </PageFrame>
  )
}
