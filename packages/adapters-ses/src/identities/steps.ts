import type { SESv2Client } from '@aws-sdk/client-sesv2'

/** An answer by its name: the SDK's own classes are matched by it, too. */
export const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/** As asked, or undefined where it is made already. */
export const unlessThere = async <T>(making: Promise<T>): Promise<T | undefined> => {
  try {
    return await making
  } catch (error) {
    if (isNamed(error, 'AlreadyExistsException')) return undefined
    throw error
  }
}

/** As asked, or undefined where there is nothing of that name. */
export const ifThere = async <T>(asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking
  } catch (error) {
    if (isNamed(error, 'NotFoundException')) return undefined
    throw error
  }
}

export type Step = { readonly client: SESv2Client; readonly region: string }
