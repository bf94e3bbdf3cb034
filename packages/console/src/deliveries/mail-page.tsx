import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { call } from '../api/client.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { ButtonLink } from '../ui/button.js'
import { Long } from '../ui/long.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './explain.module.css'
import { explainHref, mailIdIn, mailKinds } from './mail-filters.js'
import { MailBadge } from './mails-page.js'
import { AddressTimeline } from './timeline.js'

/** In ms, while the mail waits. */
const waitingInterval = 3_000

export const MailPage = () => {
  const { id: given } = useParams<{ id: string }>()
  const id = mailIdIn(given)
  const { say, dateTime } = useText()
  const { projectId, href, may } = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'mail', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/deliveries/{id}', { params: { id }, signal }),
    enabled: may('addresses.read'),
    refetchInterval: ({ state }) =>
      state.data?.status === 'scheduled' || state.data?.status === 'being-sent' ? waitingInterval : false,
  })
  return (
    <PageFrame
      title={data?.email ?? say('mailOne')}
      crumb={{ label: say('deliveries'), href: href('/deliveries') }}
      under={data && <MailBadge mail={data} />}
      actions={
        data && (
          <ButtonLink icon="search" href={explainHref(href, data.email)}>
            {say('mailExplainThis')}
          </ButtonLink>
        )
      }
    >
      {!may('addresses.read') ? (
        <Note>{say('errorForbidden')}</Note>
      ) : error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={4} />
      ) : (
        <section className={css.card}>
          <h2>
            <Long>{data.subject === '' ? say('everything') : data.subject}</Long>
          </h2>
          <AddressTimeline mails={[data]} subscriptions={[]} suppression={undefined} contact={undefined} />
          <p className={css.note}>
            <Long>
              {[
                say(mailKinds[data.kind]),
                ...(data.name === '' ? [] : [data.name]),
                ...(data.providerMessageId === undefined
                  ? []
                  : [say('mailProviderId', { id: data.providerMessageId })]),
                ...(data.keptSince.mails ? [say('historySince', { time: dateTime(data.keptSince.mails) })] : []),
              ].join(' · ')}
            </Long>
          </p>
        </section>
      )}
    </PageFrame>
  )
}
