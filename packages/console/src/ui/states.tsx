import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { type ApiError, asApiError, isAt, parseProblems, problemsIn } from '../api/errors.js'
import { useText } from '../text/text.js'
import { Button } from './button.js'
import { Icon, type IconName } from './icons.js'
import css from './states.module.css'

/** What this is for, and the button that starts it. */
export const Empty = ({
  icon,
  title,
  children,
  action,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}) => (
  <div className={css.empty}>
    <span className={css.disc}>
      <Icon name={icon} size={18} />
    </span>
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
)

export const Note = ({
  kind = 'info',
  children,
  action,
}: {
  readonly kind?: 'info' | 'warn' | 'bad'
  readonly children: ReactNode
  readonly action?: ReactNode
}) => (
  <div className={`${css.note} ${kind === 'info' ? '' : css[kind]}`} role={kind === 'bad' ? 'alert' : undefined}>
    <Icon name={kind === 'info' ? 'info' : 'warning'} />
    <div>{children}</div>
    {action}
  </div>
)

export const Skeleton = ({ rows = 6, tall = false }: { readonly rows?: number; readonly tall?: boolean }) => {
  const { say } = useText()
  return (
    <div className={`${css.bars} ${tall ? css.tall : ''}`} role="status" aria-label={say('loading')}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className={css.barRow}>
          <span className={css.bar} />
          <span className={css.bar} />
        </div>
      ))}
    </div>
  )
}

export const useErrorText = () => {
  const { say, sayServer } = useText()
  return useCallback(
    (thrown: unknown): readonly string[] => {
      const error = asApiError(thrown)
      switch (error.kind) {
        case 'offline':
          return [say('errorOffline')]
        case 'session':
          return [
            say(
              error.code === 'wrong-password'
                ? 'errorPassword'
                : error.code === 'wrong-code'
                  ? 'errorCode'
                  : 'errorSession',
            ),
          ]
        case 'forbidden':
          return [say('errorForbidden')]
        case 'gone':
          return [say('errorGone')]
        case 'busy':
          return [
            error.retrySeconds === undefined
              ? say('errorBusy')
              : say('errorBusySeconds', { seconds: Math.ceil(error.retrySeconds) }),
          ]
        case 'invalid':
          return parseProblems(error.message).map(({ field, sentence }) =>
            field === '' ? sayServer(sentence) : `${field}: ${sayServer(sentence)}`,
          )
        case 'refused':
          return [sayServer(error.message)]
        default:
          // Another service failed, and the server says how; to repeat it is no remedy.
          if (error.code === 'SERVICE_UNAVAILABLE' && error.message !== '' && error.retrySeconds === undefined)
            return [sayServer(error.message)]
          return [
            error.retrySeconds === undefined
              ? say('errorServer')
              : say('errorServerSeconds', { seconds: Math.ceil(error.retrySeconds) }),
            ...(error.message === '' ? [] : [sayServer(error.message)]),
          ]
      }
    },
    [say, sayServer],
  )
}

/** The same request would fail again. */
const isFinal = ({ kind }: ApiError): boolean => kind === 'forbidden' || kind === 'gone'

/** Problems of other fields. The message names a field before its problem, unless the sentence stands alone. */
const restOf = (
  error: unknown,
  fields: readonly string[],
  sayServer: (sentence: string) => string,
): readonly string[] =>
  problemsIn(error)
    .filter((one) => !fields.some((field) => isAt(field, one)))
    .map(({ field, sentence }) => {
      const isNamed = asApiError(error).message.includes(`${field}: ${sentence}`.replace(/\.$/, ''))
      return isNamed ? `${field}: ${sayServer(sentence)}` : sayServer(sentence)
    })

export const ErrorNote = ({
  error,
  onRetry,
  except = [],
}: {
  readonly error: unknown
  readonly onRetry?: () => void
  readonly except?: readonly string[]
}) => {
  const { say, sayServer } = useText()
  const text = useErrorText()(error)
  const isAtField = problemsIn(error).some((one) => except.some((field) => isAt(field, one)))
  const sentences = isAtField ? restOf(error, except, sayServer) : text
  if (sentences.length === 0) return null
  return (
    <Note
      kind="bad"
      action={
        onRetry &&
        !isFinal(asApiError(error)) && (
          <Button small onPress={onRetry}>
            {say('tryAgain')}
          </Button>
        )
      }
    >
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Note>
  )
}

type Read = { readonly error: unknown; readonly refetch: () => unknown }

export const failedReads = (reads: readonly Read[]): readonly Read[] => reads.filter(({ error }) => error)

/** For a part of a page that several requests fill: names the first failure and repeats all that failed. */
export const ReadErrorNote = ({ failed }: { readonly failed: readonly Read[] }) =>
  failed[0] && <ErrorNote error={failed[0].error} onRetry={() => failed.forEach((one) => void one.refetch())} />

export type Tone = 'good' | 'warning' | 'badly' | 'running' | 'plain'

/** Icon and word: colour alone carries no meaning. */
export const Badge = ({
  tone,
  icon,
  filled = false,
  children,
}: {
  readonly tone: Tone
  readonly icon: IconName
  readonly filled?: boolean
  readonly children: ReactNode
}) => (
  <span className={`${css.badge} ${css[tone]} ${filled ? css.filled : ''}`}>
    <Icon name={icon} size={14} />
    {children}
  </span>
)

export const Tag = ({ children }: { readonly children: string }) => (
  <span className={css.tag} title={children}>
    {children}
  </span>
)

type Toast = { readonly id: number; readonly text: string }
type AddToast = (text: string) => void

const ToastContext = createContext<AddToast>(() => undefined)

/** Says that something was done. Never the only place that shows a fact. */
export const useToast = () => useContext(ToastContext)

/** In ms. */
const toastTime = 6_000

const ToastView = ({ toast, onEnd }: { readonly toast: Toast; readonly onEnd: (id: number) => void }) => {
  const { say } = useText()
  useEffect(() => {
    const timer = setTimeout(() => onEnd(toast.id), toastTime)
    return () => clearTimeout(timer)
  }, [toast.id, onEnd])
  return (
    <div className={css.toast}>
      <Icon name="check" />
      <span>{toast.text}</span>
      <Button kind="quiet" small icon="close" aria-label={say('close')} onPress={() => onEnd(toast.id)} />
    </div>
  )
}

export const ToastProvider = ({ children }: { readonly children: ReactNode }) => {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const add = useCallback<AddToast>((text) => {
    setToasts((all) => [...all.slice(-2), { id: Date.now() + Math.random(), text }])
  }, [])
  const end = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), [])
  return (
    <ToastContext.Provider value={add}>
      {children}
      <div className={css.toasts} role="status">
        {toasts.map((toast) => (
          <ToastView key={toast.id} toast={toast} onEnd={end} />
        ))}
      </div>
    </ToastContext.Provider>
  )
}
