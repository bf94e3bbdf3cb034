import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../api/client.js'
import type { ImageUse } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Long } from '../ui/long.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './gallery.module.css'

const kinds = {
  campaign: ['campaign', (id: string) => `/campaigns/${id}`],
  triggered: ['triggeredEmail', (id: string) => `/automatic/triggered/${id}`],
  transactional: ['transactionalEmail', (id: string) => `/automatic/transactional/${id}`],
  template: ['template', (id: string) => `/templates/${id}`],
  'signup-form': ['signupForm', (id: string) => `/audience/forms/${id}`],
  'design-system': ['design', () => '/templates/design'],
  project: ['setLogo', () => '/settings/project'],
} as const satisfies Readonly<Record<ImageUse['kind'], readonly [string, (id: string) => string]>>

/** Where the project shows the image, with links; `isDeleting`: what deleting it does there. */
export const ImageUses = ({ id, isDeleting = false }: { readonly id: string; readonly isDeleting?: boolean }) => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'image-uses', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/gallery/images/{id}/uses', { params: { id }, signal }),
    staleTime: 0,
  })
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={1} />
  const { items, count, isComplete, isShared } = data
  const bounds = [...(isComplete ? [] : [say('imageUsesMore')]), ...(isShared ? [say('imageUsesShared')] : [])]
  return (
    <section className={css.uses} aria-label={say('imageUses')}>
      {count === 0 ? (
        <p>{say('imageUsesNone')}</p>
      ) : isDeleting ? (
        <Note kind="warn">{say('imageUsesLost', { count })}</Note>
      ) : (
        <p>{say('imageUsesCount', { count })}</p>
      )}
      {items.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <ul tabIndex={0} aria-label={say('imageUses')}>
          {items.map(({ kind, _id, name }) => {
            const [label, path] = kinds[kind]
            return (
              <li key={`${kind} ${_id}`}>
                <Link href={href(path(_id))}>
                  <Long>{name === '' ? say(label) : name}</Long>
                </Link>
                {name !== '' && <small>{say(label)}</small>}
              </li>
            )
          })}
        </ul>
      )}
      {count > items.length && <p className={css.hint}>{say('imageUsesUnlisted', { count: count - items.length })}</p>}
      {bounds.map((one) => (
        <p key={one} className={css.hint}>
          {one}
        </p>
      ))}
    </section>
  )
}
