import {
  CreateConfigurationSetCommand,
  CreateConfigurationSetEventDestinationCommand,
  CreateTenantCommand,
  CreateTenantResourceAssociationCommand,
  DeleteConfigurationSetCommand,
  DeleteTenantCommand,
  DeleteTenantResourceAssociationCommand,
  type EventType,
  GetTenantCommand,
  ListTenantResourcesCommand,
  type SESv2Client,
} from '@aws-sdk/client-sesv2'

/** Compares names, because the SDK's classes may exist twice. */
export const isErrorNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

export const unlessThere = async <T>(making: Promise<T>): Promise<T | undefined> => {
  try {
    return await making
  } catch (error) {
    if (isErrorNamed(error, 'AlreadyExistsException')) return undefined
    throw error
  }
}

export const resultIfFound = async <T>(request: Promise<T>): Promise<T | undefined> => {
  try {
    return await request
  } catch (error) {
    if (isErrorNamed(error, 'NotFoundException')) return undefined
    throw error
  }
}

export type RegionalSesClient = { readonly client: SESv2Client; readonly region: string }

/** For opens and clicks, SES would rewrite every link. */
export const sesReportedEventTypes: EventType[] = ['SEND', 'BOUNCE', 'COMPLAINT', 'REJECT', 'RENDERING_FAILURE']
const destination = 'posthorn'

const tenantName = (projectId: string) => `posthorn-${projectId}`

/** `arn:aws:ses:<region>:<account>:` */
const arnPrefix = (arn: string): string => `${arn.split(':').slice(0, 5).join(':')}:`

/** SES does not publish across regions. */
const topicIn = (topicArn: string | undefined, region: string) =>
  topicArn?.split(':')[3] === region ? topicArn : undefined

/** Tenant and set share a name; each step is idempotent. */
export const sesTenants = ({ client, region }: RegionalSesClient, topicArn: string | undefined) => {
  const arnOf = async (name: string): Promise<string | undefined> => {
    const found = await resultIfFound(client.send(new GetTenantCommand({ TenantName: name })))
    return found?.Tenant?.TenantArn
  }
  const associate = (TenantName: string, ResourceArn: string) =>
    unlessThere(client.send(new CreateTenantResourceAssociationCommand({ TenantName, ResourceArn })))

  const createSet = async (name: string): Promise<void> => {
    await unlessThere(client.send(new CreateConfigurationSetCommand({ ConfigurationSetName: name })))
    const TopicArn = topicIn(topicArn, region)
    if (TopicArn === undefined) return
    const EventDestination = { Enabled: true, MatchingEventTypes: sesReportedEventTypes, SnsDestination: { TopicArn } }
    await unlessThere(
      client.send(
        new CreateConfigurationSetEventDestinationCommand({
          ConfigurationSetName: name,
          EventDestinationName: destination,
          EventDestination,
        }),
      ),
    )
  }

  const hasIdentities = async (TenantName: string): Promise<boolean> => {
    const asked = { TenantName, Filter: { RESOURCE_TYPE: 'EMAIL_IDENTITY' } }
    const { TenantResources = [] } = await client.send(new ListTenantResourcesCommand(asked))
    return TenantResources.some(({ ResourceType }) => ResourceType === 'EMAIL_IDENTITY')
  }

  return {
    /** Creates what is missing, and lets the project send with the identity. */
    create: async (projectId: string, identity: string) => {
      const name = tenantName(projectId)
      await createSet(name)
      const made = await unlessThere(client.send(new CreateTenantCommand({ TenantName: name })))
      const arn = made?.TenantArn ?? (await arnOf(name))
      if (arn === undefined) throw new Error(`The tenant ${name} was removed during its creation.`)
      await associate(name, `${arnPrefix(arn)}configuration-set/${name}`)
      await associate(name, `${arnPrefix(arn)}identity/${identity}`)
      return { name, configurationSet: name }
    },

    /** With the last identity, also removes tenant and set. */
    remove: async (projectId: string, identity: string): Promise<void> => {
      const name = tenantName(projectId)
      const arn = await arnOf(name)
      if (arn !== undefined) {
        const ResourceArn = `${arnPrefix(arn)}identity/${identity}`
        await resultIfFound(client.send(new DeleteTenantResourceAssociationCommand({ TenantName: name, ResourceArn })))
        if (await hasIdentities(name)) return
        await resultIfFound(client.send(new DeleteTenantCommand({ TenantName: name })))
      }
      await resultIfFound(client.send(new DeleteConfigurationSetCommand({ ConfigurationSetName: name })))
    },
  }
}
