const deepest = 100
const mostValues = 200_000

/** Problems of data that is too large for a template; empty if it is not. Walks without recursion. */
export const problemsOf = (data) => {
  const waiting = [{ value: data, depth: 1 }]
  let count = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    count += 1
    if (count > mostValues) return [`it has more than ${mostValues} values`]
    if (next.depth > deepest) return [`it is nested more than ${deepest} levels deep`]
    if (typeof next.value !== 'object' || next.value === null) continue
    const values = Array.isArray(next.value) ? next.value : Object.values(next.value)
    if (waiting.length + values.length > mostValues) return [`it has more than ${mostValues} values`]
    for (const value of values) waiting.push({ value, depth: next.depth + 1 })
  }
  return []
}

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
}

export const work = async (input) => {
  const data = parsed(input)
  const problems = problemsOf(data)
  return problems.length > 0 ? { problems } : { output: JSON.stringify(data) }
}
