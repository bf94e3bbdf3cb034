import { useMemo, useState } from 'react'
import { jsonProblem } from '../editor/json-problem.js'

const storedAt = (id: string) => `posthorn-data-${id}`

const kept = (id: string): string => {
  try {
    return localStorage.getItem(storedAt(id)) ?? '{}'
  } catch {
    return '{}'
  }
}

const objectIn = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

/** Data as a program would send it with the email; kept in this browser. */
export const useSampleData = (id: string) => {
  const [text, setText] = useState(() => kept(id))
  const found = useMemo(() => objectIn(text), [text])
  const [data, setData] = useState<Readonly<Record<string, unknown>>>(found ?? {})
  return {
    text,
    /** The last text that was an object. */
    data,
    isObject: found !== undefined,
    problem: jsonProblem(text),
    set: (next: string) => {
      setText(next)
      const object = objectIn(next)
      if (!object) return
      setData(object)
      try {
        localStorage.setItem(storedAt(id), next)
      } catch {
        // A full storage of the browser loses the data with the page only.
      }
    },
  }
}
export type SampleData = ReturnType<typeof useSampleData>
