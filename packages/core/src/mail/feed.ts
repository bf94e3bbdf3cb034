import { z } from 'zod'
import { builtInMergeTags } from './merge-context.js'

export const Feed = z
  .strictObject({
    url: z.url({ protocol: /^https?$/, error: 'expected an http or https URL' }).describe('URL of the feed'),
    feedType: z.enum(['rss-xml', 'json']).describe('Format of the feed'),
    variableName: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected letters, digits and underscores, without spaces')
      .describe('The top-level template variable that carries the feed'),
    maxItems: z.int().min(0).optional().describe('Informational only'),
    required: z.boolean().optional().describe('A required feed that fails stops the sending'),
    availableFields: z.array(z.string()).optional().describe('Informational only'),
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
