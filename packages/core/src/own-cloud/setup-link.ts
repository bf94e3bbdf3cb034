/** What setup links carry. */
export type CloudSetup = {
  /** The cloud account that this server's own credentials belong to: the one that the role lets in. */
  readonly accountId?: string | undefined
  /** A CloudFormation template in S3 with the parameters `ExternalId`, `AccountId`, `ConfigurationSet` and `EventsUrl`; absent: the IAM console's own form. */
  readonly templateUrl?: string | undefined
  /** Where events of mails are posted to, by https; absent: the template makes nothing that tells them. */
  readonly eventsUrl?: string | undefined
}

const awsConsole = 'https://console.aws.amazon.com'

const query = (values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`]))
    .join('&')

/**
 * Where the owner of a cloud account makes the role that this server needs, with everything filled in: a quick-create link of
 * CloudFormation, or of IAM.
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
