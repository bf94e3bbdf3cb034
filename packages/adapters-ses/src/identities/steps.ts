import type { SESv2Client } from '@aws-sdk/client-sesv2'

/** Matches an error by name; the SDK's own classes match too. */
export const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/** The call's result, or undefined if the resource already exists. */
export const unlessThere = async <T>(making: Promise<T>): Promise<T | undefined> => {
  try {
    return await making
  } catch (error) {
    if (isNamed(error, 'AlreadyExistsException')) return undefined
    throw error
  }
}

/** The call's result, or undefined if the resource does not exist. */
export const ifThere = async <T>(asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking
  } catch (error) {
    if (isNamed(error, 'NotFoundException')) return undefined
    throw error
  }
}

export type Step = { readonly client: SESv2Client; readonly region: string }
