import type { SESv2Client } from '@aws-sdk/client-sesv2'

/** Compares names, because the SDK's classes may exist twice. */
export const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/** Undefined if the resource already exists. */
export const unlessThere = async <T>(making: Promise<T>): Promise<T | undefined> => {
  try {
    return await making
  } catch (error) {
    if (isNamed(error, 'AlreadyExistsException')) return undefined
    throw error
  }
}

/** Undefined if the resource does not exist. */
export const ifThere = async <T>(asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking
  } catch (error) {
    if (isNamed(error, 'NotFoundException')) return undefined
    throw error
  }
}

export type Step = { readonly client: SESv2Client; readonly region: string }
