import type { NewId } from '@posthorn/core/ports/runtime'

/** Counts up from 1. Different `maker` numbers give different ids. */
export const countingIds = (maker = 0): NewId => {
  let n = 0
  return () => {
    n += 1
    return `${maker.toString(16).padStart(8, '0')}${n.toString(16).padStart(16, '0')}`
  }
}
