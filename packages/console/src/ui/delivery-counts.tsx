import { Fragment } from 'react'
import { Link } from 'wouter'
import { useText } from '../text/text.js'
import css from './delivery-counts.module.css'

/** recipients = sent + failed + left out + waiting, in this order everywhere. */
export type DeliveryCounts = {
  readonly recipients: number
  readonly sent: number
  readonly failed: number
  readonly excluded: number
  readonly waiting: number
}

const parts = [
  ['sent', 'booksSent', 'sent'],
  ['failed', 'booksFailed', 'failed'],
  ['excluded', 'booksOut', 'out'],
  ['waiting', 'booksWaiting', 'waiting'],
] as const

export type DeliveryCountKey = (typeof parts)[number][0]

const useSentence = () => {
  const { say } = useText()
  return (books: DeliveryCounts): string =>
    [
      say('booksSentence', { sent: books.sent, recipients: books.recipients }),
      ...(books.failed > 0 ? [say('booksSomeFailed', { count: books.failed })] : []),
      ...(books.excluded > 0 ? [say('booksSomeOut', { count: books.excluded })] : []),
      ...(books.waiting > 0 ? [say('booksSomeWaiting', { count: books.waiting })] : []),
    ].join(' · ')
}

export const DeliveryCountsBar = ({
  books,
  large = false,
}: {
  readonly books: DeliveryCounts
  readonly large?: boolean
}) => {
  const sentence = useSentence()
  return (
    <div
      className={`${css.bar} ${large ? css.tall : ''} ${books.recipients > 0 ? css.filled : ''}`}
      role="img"
      aria-label={sentence(books)}
    >
      {parts.map(
        ([part, , look]) =>
          books[part] > 0 && <span key={part} className={css[look]} style={{ flexGrow: books[part], flexBasis: 0 }} />,
      )}
    </div>
  )
}

export const DeliveryCountsLine = ({ books }: { readonly books: DeliveryCounts }) => {
  const { say, number } = useText()
  const some = parts.filter(([part]) => part === 'sent' || books[part] > 0)
  return some.map(([part, label]) => `${number(books[part])}\u00a0${say(label).replaceAll(' ', '\u00a0')}`).join(' · ')
}

/** The sum that always balances; each number opens its rows. */
export const DeliveryCountsEquation = ({
  books,
  large = false,
  hrefOf,
}: {
  readonly books: DeliveryCounts
  readonly large?: boolean
  readonly hrefOf?: (part: DeliveryCountKey) => string | undefined
}) => {
  const { say, number } = useText()
  return (
    <div className={`${css.equation} ${large ? css.large : ''}`}>
      <div className={css.term}>
        <span className={css.figure}>{number(books.recipients)}</span>
        <span className={css.called}>{say('booksRecipients', { count: books.recipients })}</span>
      </div>
      {parts.map(([part, label, look], at) => {
        const href = books[part] > 0 ? hrefOf?.(part) : undefined
        return (
          <Fragment key={part}>
            <span className={css.sign} aria-hidden="true">
              {at === 0 ? '=' : '+'}
            </span>
            <div className={css.term}>
              <span className={css.figure}>
                {href ? <Link href={href}>{number(books[part])}</Link> : number(books[part])}
              </span>
              <span className={css.called}>
                <span className={`${css.key} ${css[look]}`} />
                {say(label)}
              </span>
            </div>
          </Fragment>
        )
      })}
    </div>
  )
}

export const DeliveryCountsLegend = () => {
  const { say } = useText()
  return (
    <p className={css.legend}>
      {parts.map(([part, label, look]) => (
        <span key={part}>
          <span className={`${css.key} ${css[look]}`} />
          {say(label)}
        </span>
      ))}
    </p>
  )
}

export const PeopleBar = ({ people, machines }: { readonly people: number; readonly machines: number }) => {
  const { say } = useText()
  return (
    <div
      className={`${css.bar} ${people + machines > 0 ? css.filled : ''}`}
      role="img"
      aria-label={say('peopleAndMachines', { people, machines })}
    >
      {people > 0 && <span className={css.sent} style={{ flexGrow: people, flexBasis: 0 }} />}
      {machines > 0 && <span className={css.machines} style={{ flexGrow: machines, flexBasis: 0 }} />}
    </div>
  )
}
