/** Transactional mail has a lane of its own, so that no campaign holds it up. */
export type Lane = 'transactional' | 'bulk'
