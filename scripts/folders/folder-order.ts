import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** A file's import, or re-export, of another file of the same tree. Types count: who reads a type has to know it. */
export type Edge = { readonly from: string; readonly to: string }

const importing = /(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** Every import inside the tree below `root`, by the files' paths in it, with `/` on every system. */
export const edgesBelow = (root: string): readonly Edge[] => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.[jt]s$/.test(file))
  return files.flatMap((file) => {
    const from = file.replaceAll('\\', '/')
    const text = readFileSync(join(root, file), 'utf8')
    return [...text.matchAll(importing)].map(([, target = '']) => ({
      from,
      to: posix.normalize(posix.join(posix.dirname(from), target)).replace(/\.js$/, '.ts'),
    }))
  })
}

/** Where a file belongs: its folder, or the file itself where it stands beside the folders. */
export const placeOf = (file: string): string => (posix.dirname(file) === '.' ? file : posix.dirname(file))

/** The places in the order of the numbered list that begins after the heading: `1. `kernel` …`. */
export const orderIn = (markdown: string, heading: string): readonly string[] => {
  const [, section = ''] = markdown.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, place = '']) => place)
}

/** A sentence for each import that climbs: a place may import only what stands before it. */
export const climbs = (edges: readonly Edge[], order: readonly string[]): readonly string[] => {
  const rank = new Map(order.map((place, at) => [place, at]))
  const places = new Set(edges.flatMap(({ from, to }) => [placeOf(from), placeOf(to)]))
  const unknown = [...places].filter((place) => !rank.has(place)).sort()
  return [
    ...unknown.map((place) => `${place} is not on the list`),
    ...edges
      .filter(({ from, to }) => (rank.get(placeOf(from)) ?? 0) < (rank.get(placeOf(to)) ?? 0))
      .map(({ from, to }) => `${from} imports ${to}: ${placeOf(from)} stands before ${placeOf(to)}`),
  ]
}

/** A sentence for each circle of places, the shortest that an import closes. */
export const circles = (edges: readonly Edge[]): readonly string[] => {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of edges) {
    const [a, b] = [placeOf(from), placeOf(to)]
    if (a !== b) next.set(a, (next.get(a) ?? new Set()).add(b))
  }
  const wayBack = (start: string): readonly string[] | undefined => {
    const ways: (readonly string[])[] = [[start]]
    const seen = new Set<string>()
    for (let way = ways.shift(); way; way = ways.shift())
      for (const place of next.get(way.at(-1) ?? '') ?? []) {
        if (place === start) return [...way, start]
        if (!seen.has(place)) ways.push([...way, place])
        seen.add(place)
      }
    return undefined
  }
  const found = [...next.keys()].flatMap((place) => {
    const way = wayBack(place)
    return way && place === [...way].sort()[0] ? [way.join(' → ')] : []
  })
  return found.sort()
}
