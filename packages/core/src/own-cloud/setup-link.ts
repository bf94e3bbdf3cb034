/** The parameters of setup links. */
export type CloudSetup = {
  /** The cloud account of this server's own credentials; the role trusts it. */
  readonly accountId?: string | undefined
  /**
   * A CloudFormation template in S3 with the parameters `ExternalId`, `AccountId`, `ConfigurationSet` and `EventsUrl`; without it, the
   * link opens the form of the IAM console.
   */
  readonly templateUrl?: string | undefined
  /** The https URL that receives mail events; without it, the template creates no event publishing. */
  readonly eventsUrl?: string | undefined
}

const awsConsole = 'https://console.aws.amazon.com'

const query = (values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`]))
    .join('&')

/**
 * The page on which the owner of a cloud account creates the role that this server needs, with everything filled in: a quick-create link
 * of CloudFormation, or of IAM.
 */
export const setupLinkOf = (
  { accountId, templateUrl, eventsUrl }: CloudSetup,
  region: string,
  externalId: string,
  configurationSet: string,
): string =>
  templateUrl === undefined
    ? `${awsConsole}/iam/home#/roles/create?${query({
        step: 'type',
        trustedEntityType: 'AWS_ACCOUNT',
        awsAccount: accountId,
        isThirdParty: 'true',
        externalId,
        policies: 'arn:aws:iam::aws:policy/AmazonSESFullAccess',
      })}`
    : `${awsConsole}/cloudformation/home?${query({ region })}#/stacks/quickcreate?${query({
        templateURL: templateUrl,
        stackName: 'posthorn-sending',
        param_AccountId: accountId,
        param_ExternalId: externalId,
        param_ConfigurationSet: eventsUrl && configurationSet,
        param_EventsUrl: eventsUrl,
      })}`
