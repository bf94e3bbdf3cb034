import { z } from 'zod'
import { builtInMergeTags } from './merge-context.js'

export const Feed = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
      .meta({ description: 'URL of the feed' }),
    feedType: z.enum(['rss-xml', 'json']).meta({ description: 'Format of the feed' }),
    variableName: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected letters, digits and underscores, without spaces')
      .meta({ description: 'The top-level template variable that carries the feed' }),
    maxItems: z.int().min(0).optional().meta({ description: 'Informational only' }),
    required: z.boolean().optional().meta({ description: 'A required feed that fails stops the sending' }),
    availableFields: z.array(z.string()).optional().meta({ description: 'Informational only' }),
  })
  .meta({
    id: 'Feed',
    description: 'A feed fetched once per sending; RSS gives <variableName>.item, Atom .entry, JSON itself',
  })
export type Feed = z.output<typeof Feed>

export const Feeds = z
  .array(Feed)
  .max(20)
  .check(({ value, issues }) => {
    for (const [index, { variableName }] of value.entries()) {
      const isFirst = value.findIndex((other) => other.variableName === variableName) === index
      const isFree = !(builtInMergeTags as readonly string[]).includes(variableName)
      if (isFirst && isFree) continue
      const message = isFree ? `another feed is also named ${variableName}` : `the name ${variableName} is reserved`
      issues.push({ code: 'custom', message, input: variableName, path: [index, 'variableName'] })
    }
  })
