import { InvalidArgumentError } from 'commander'

/**
 * Parses a whole number within both bounds, inclusive.
 * @throws InvalidArgumentError
 */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }
