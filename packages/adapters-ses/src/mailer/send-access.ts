import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import type { SendAccess } from '../lean/lean-sender.js'
import type { SendEndpoint } from '../lean/send-request.js'

/** Composes a request that is never sent. */
const sendEndpointOf = async (client: SESv2Client): Promise<SendEndpoint> => {
  let found: SendEndpoint | undefined
  const command = new SendEmailCommand({ Content: { Raw: { Data: Buffer.alloc(0) } } })
  command.middlewareStack.add(
    () =>
      async ({ request }) => {
        const { protocol, hostname, port, path } = request as SendEndpoint
        found = { protocol, hostname, path, ...(port !== undefined && { port }) }
        return { output: { $metadata: {} }, response: {} }
      },
    { step: 'build', name: 'lookWhereItGoes' },
  )
  await client.send(command)
  if (!found) throw new Error('The AWS SDK made no request.')
  return found
}

/**
 * The SDK resolves profiles, `AWS_ENDPOINT_URL_SESV2` and partitions, and renews credentials five minutes before they
 * expire.
 */
export const sendAccess = (client: SESv2Client) => {
  let looking: Promise<SendEndpoint> | undefined

  const endpointOf = (): Promise<SendEndpoint> => {
    looking ??= sendEndpointOf(client).catch((error: unknown) => {
      looking = undefined
      throw error
    })
    return looking
  }

  return async (): Promise<SendAccess> => {
    const { accessKeyId, secretAccessKey, sessionToken } = await client.config.credentials()
    return {
      endpoint: await endpointOf(),
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
      // Measured by the SDK's own calls.
      clockOffset: client.config.systemClockOffset,
    }
  }
}
