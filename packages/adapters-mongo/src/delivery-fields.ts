/** A delivery as the ledger's port knows it: without what only this adapter keeps of it. */
export const deliveryFields = { projection: { claim: 0, steps: 0 } } as const
