import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { consoleBase } from '../api/client.js'

/** The URL's query, so that views can be bookmarked. Keeps unknown names, drops empty values. */
export const useUrlState = () => {
  const search = useSearch()
  const [location, navigate] = useLocation()
  const parameters = useMemo(() => new URLSearchParams(search), [search])
  const set = useCallback(
    (changes: Readonly<Record<string, string | undefined>>) => {
      // A dialog closes after its form has led to another page.
      if (window.location.pathname !== `${consoleBase}${location}`) return
      const next = new URLSearchParams(window.location.search)
      for (const [name, value] of Object.entries(changes))
        if (value === undefined || value === '') next.delete(name)
        else next.set(name, value)
      const text = next.toString()
      navigate(text === '' ? location : `${location}?${text}`, { replace: true })
    },
    [location, navigate],
  )
  return { get: (name: string) => parameters.get(name) ?? '', parameters, set }
}

/** The first row of the page; 0 if the address says nothing valid. */
export const skipOf = (text: string): number => {
  const skip = Number(text)
  return Number.isSafeInteger(skip) && skip > 0 ? skip : 0
}
