import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { asApiError } from './api/errors.js'
import { App } from './app.js'
import { TextProvider } from './text/text.js'
import './ui/base.css'
import { followTheme } from './shell/theme.js'
import { ToastProvider } from './ui/states.js'

const mostRetries = 3
/** In s. For longer waits the page shows the time and a button. */
const longestWait = 5

/** In ms: the time of Retry-After, else exponential back-off. */
const retryDelay = (attempt: number, error: unknown): number => {
  const { retrySeconds } = asApiError(error)
  return retrySeconds === undefined ? Math.min(1_000 * 2 ** attempt, 15_000) : retrySeconds * 1_000
}

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // `always`: the server may run on this machine, where the browser's idea of being online does not matter.
      networkMode: 'always',
      retry: (attempt, error) => {
        const { kind, retrySeconds = 0 } = asApiError(error)
        return attempt < mostRetries && retrySeconds <= longestWait && ['offline', 'busy', 'server'].includes(kind)
      },
      retryDelay,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

followTheme(undefined)
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <TextProvider>
          <ToastProvider>
            <App />
          </ToastProvider>
        </TextProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
