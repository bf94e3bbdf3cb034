import type { Domain } from '../api/types.js'
import { useText } from '../text/text.js'
import { Button, DownloadLink } from '../ui/button.js'
import { Copied, useCopy } from '../ui/copied.js'
import { Badge } from '../ui/states.js'
import { Table } from '../ui/table.js'
import { checkedAtOf, type DnsRecord, type Purpose } from './domain-state.js'
import css from './sending.module.css'

const Found = ({ record: { isPresent } }: { readonly record: DnsRecord }) => {
  const { say } = useText()
  if (isPresent === undefined)
    return (
      <Badge tone="plain" icon="clock">
        {say('domainUnchecked')}
      </Badge>
    )
  return (
    <Badge tone={isPresent ? 'good' : 'badly'} icon={isPresent ? 'check' : 'close'}>
      {say(isPresent ? 'inPlace' : 'missing')}
    </Badge>
  )
}

const useLabels = (): Readonly<Record<Purpose, string>> => {
  const { say } = useText()
  return {
    dkim: 'DKIM',
    mx: say('recordBounces'),
    spf: 'SPF',
    dmarc: 'DMARC',
    tracking: say('recordTracking'),
    ownership: say('recordOwnership'),
  }
}

/** As a zone file writes them; who keeps the DNS knows it. */
const linesOf = (records: readonly DnsRecord[]): string =>
  records
    .map(({ type, name, value, priority }) => {
      const data = type === 'TXT' ? `"${value}"` : `${value}.`
      return [`${name}.`, 'IN', type, ...(priority === undefined ? [] : [priority]), data].join(' ')
    })
    .join('\n')

export const DnsRecords = ({
  domain,
  records,
  csv,
}: {
  readonly domain: Domain
  readonly records: readonly DnsRecord[]
  /** URL of the file. */
  readonly csv: string
}) => {
  const { say, number, dateTime } = useText()
  const copy = useCopy()
  const labels = useLabels()
  const absent = records.filter(({ isPresent }) => isPresent !== true)
  const checkedAt = checkedAtOf(domain)
  return (
    <section className={css.stack}>
      <div className={css.head}>
        <h2>{say('recordsTitle')}</h2>
        <span className={`${css.quiet} ${css.grow}`}>
          {checkedAt === ''
            ? say('domainUnchecked')
            : `${say('recordsInPlace', { count: records.length - absent.length, all: number(records.length) })} · ${say('checkedAt', { time: dateTime(checkedAt) })}`}
        </span>
        <DownloadLink href={csv}>{say('recordsCsv')}</DownloadLink>
        {absent.length > 0 && (
          <Button icon="copy" onPress={() => copy(linesOf(absent))}>
            {say(checkedAt === '' ? 'copyRecords' : 'copyMissing', { count: absent.length })}
          </Button>
        )}
      </div>
      <Table<DnsRecord>
        label={say('recordsTitle')}
        rows={records}
        keyOf={({ purpose, name }) => `${purpose} ${name}`}
        nameOf={({ purpose }) => labels[purpose]}
        columns={[
          { id: 'for', label: say('recordFor'), cell: () => null },
          {
            id: 'type',
            label: say('type'),
            cell: ({ type, priority }) => (
              <>
                <code>{type}</code>
                {priority !== undefined && <small className={css.priority}>{say('priorityIs', { priority })}</small>}
              </>
            ),
          },
          {
            id: 'name',
            label: say('name'),
            cell: ({ name }) => <Copied text={name} label={say('copyName', { name })} />,
            text: ({ name }) => name,
          },
          {
            id: 'value',
            label: say('value'),
            text: ({ value }) => value,
            cell: ({ name, value, found }) => (
              <>
                <Copied text={value} label={say('copyValue', { name })} />
                {found !== '' && <small className={css.has}>{say('dnsHas', { text: found })}</small>}
              </>
            ),
          },
          {
            id: 'found',
            label: say('found'),
            cell: (record) => <Found record={record} />,
            text: ({ isPresent }) =>
              say(isPresent === undefined ? 'domainUnchecked' : isPresent ? 'inPlace' : 'missing'),
          },
        ]}
      />
    </section>
  )
}
