import type { OpenedStore } from '@posthorn/embed'

/** Tells another system about every new suppression, after it is stored. */
export const tellingStore = (store: OpenedStore, tell: (email: string) => Promise<void>): OpenedStore => {
  const { suppressions } = store.repositories
  return {
    ...store,
    repositories: {
      ...store.repositories,
      suppressions: {
        ...suppressions,
        add: async (suppression, ...more) => {
          await suppressions.add(suppression, ...more)
          await tell(suppression.email)
        },
      },
    },
  }
}
