import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { call } from '../api/client.js'
import type { Template } from '../api/types.js'
import { MailFrame } from '../editor/mail-frame.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Icon } from '../ui/icons.js'
import { Long } from '../ui/long.js'
import { type MenuEntry, RowMenu } from '../ui/menu.js'
import { Tag } from '../ui/states.js'
import css from './templates.module.css'

/** Mails are rendered only for cards that are in view. */
const useIsSeen = () => {
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return { place, isSeen }
}

const Thumbnail = ({ template: { _id, updatedAt } }: { readonly template: Template }) => {
  const { say } = useText()
  const { projectId, may } = useProject()
  const { place, isSeen } = useIsSeen()
  const mayRender = may('addresses.read')
  const { data } = useQuery({
    queryKey: [projectId, 'preview', _id, '', updatedAt, undefined],
    queryFn: ({ signal }) =>
      call(projectId, 'post', '/render-preview/{id}', { params: { id: _id }, body: { type: 'template' }, signal }),
    enabled: isSeen && mayRender,
    retry: false,
  })
  return (
    <div className={css.thumbnail} ref={place} inert aria-hidden="true">
      {data ? (
        <div className={css.scaled}>
          <MailFrame html={data.html} title={say('previewTitle')} width="100%" />
        </div>
      ) : (
        <Icon name="template" size={32} />
      )}
    </div>
  )
}

export const TemplateCard = ({
  template,
  menu,
}: {
  readonly template: Template
  readonly menu: readonly MenuEntry[]
}) => {
  const { say, dateTime } = useText()
  const { href } = useProject()
  const { _id, name, subject, tags, updatedAt } = template
  return (
    <li className={css.card}>
      <Thumbnail template={template} />
      <div className={css.about}>
        <div className={css.between}>
          <Link href={href(`/templates/${_id}`)} className={css.name}>
            <Long>{name}</Long>
          </Link>
          {menu.length > 0 && <RowMenu label={say('actionsOn', { name })} entries={menu} />}
        </div>
        <span className={css.second}>
          <Long>{subject}</Long>
        </span>
        {tags.length > 0 && (
          <span className={css.tags}>
            {tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </span>
        )}
        <span className={css.second}>{say('editedAt', { time: dateTime(updatedAt) })}</span>
      </div>
    </li>
  )
}
