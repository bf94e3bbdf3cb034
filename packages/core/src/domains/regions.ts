import { z } from 'zod'

/** A region of this server; the error lists the regions. */
export const regionOf = (regions: readonly string[]) =>
  z
    .enum(regions as readonly [string, ...string[]], { error: `expected one of ${regions.join(', ')}` })
    .meta({ description: 'One of the regions of this server' })

export const Regions = z
  .object({
    regions: z.array(z.string()).meta({ description: 'Values that a domain’s and a sender’s region may have' }),
  })
  .meta({ id: 'Regions' })
export type Regions = z.output<typeof Regions>
