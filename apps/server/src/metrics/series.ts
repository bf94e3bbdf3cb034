import { Counter, Gauge, type Registry } from 'prom-client'

/** Makes series of the registry. */
export const seriesOf = (registry: Registry) => ({
  counter: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
    new Counter({ name, help, labelNames, registers: [registry] }),
  /** Read when metrics are asked for. */
  gauge: (name: string, help: string, read: () => number | Promise<number>): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read())
      },
    }),
})
