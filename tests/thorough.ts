import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly thorough: boolean
  }
}

/** True in `npm run test:nightly`. `npm test` runs the same tests with fewer requests, mails and runs. */
export const thorough = inject('thorough')
