import { audienceContract } from './audience.js'
import { contactSearchContract } from './contact-search.js'
import { countersContract } from './counters.js'
import { dnsLookupContract } from './dns-lookup.js'
import { exactFiguresContract } from './exact-figures.js'
import { figuresContract } from './figures.js'
import { filesContract } from './files.js'
import { identitiesContract } from './identities.js'
import { imageUsesContract } from './image-uses.js'
import { jobsContract, sharedJobsContract } from './jobs.js'
import { deliveriesContract } from './ledger/deliveries.js'
import { dispatchResultsContract } from './ledger/dispatch-results.js'
import { mailerContract, withoutProvider } from './mailer.js'
import { mailsReceivedContract } from './mails-received.js'
import { manyAddressesContract } from './many-addresses.js'
import { membershipStoreContract } from './membership-store.js'
import { referencesContract } from './references.js'
import { repositoryContract } from './repository/repository.js'
import { sharingContract } from './sharing.js'
import { storeClockContract } from './store-clock.js'
import type { ContractOptions, MakeStore } from './under-test/store.js'
import { webhookOutboxContract } from './webhook-outbox.js'

export type { ContractJobs } from './jobs.js'
export type { ContractMailer, MailerContractOptions, MakeMailer, ProviderTreatment, TakenMail } from './mailer.js'
export type { ContractOptions, ContractStore, MakeStore } from './under-test/store.js'
export {
  audienceContract,
  contactSearchContract,
  countersContract,
  deliveriesContract,
  dispatchResultsContract,
  dnsLookupContract,
  exactFiguresContract,
  figuresContract,
  filesContract,
  identitiesContract,
  imageUsesContract,
  jobsContract,
  mailerContract,
  mailsReceivedContract,
  manyAddressesContract,
  membershipStoreContract,
  referencesContract,
  repositoryContract,
  sharedJobsContract,
  sharingContract,
  storeClockContract,
  webhookOutboxContract,
  withoutProvider,
}

type Suites = (name: string, make: MakeStore, options?: ContractOptions) => void

/** The suites of `contracts` in three parts, for test files that run at the same time: `contractParts.ledger('My store', make)`. */
export const contractParts = {
  records: (name, make, options = {}) => {
    repositoryContract(name, make, options)
    referencesContract(name, make)
    countersContract(name, make, options)
    imageUsesContract(name, make)
    webhookOutboxContract(name, make, options)
    manyAddressesContract(name, make)
    if (!options.without?.includes('files')) filesContract(name, make)
    if (!options.without?.includes('processes')) sharingContract(name, make)
  },
  ledger: (name, make, options = {}) => {
    deliveriesContract(name, make, options)
    dispatchResultsContract(name, make, options)
    figuresContract(name, make, options)
    exactFiguresContract(name, make, options)
  },
  audience: (name, make, options = {}) => {
    audienceContract(name, make, options)
    contactSearchContract(name, make, options)
    membershipStoreContract(name, make, options)
    mailsReceivedContract(name, make, options)
  },
} as const satisfies Readonly<Record<string, Suites>>

/**
 * Every suite that the store of an adapter package must pass, in one call so that none is forgotten.
 * @param name begins the titles of the tests
 */
export const contracts: Suites = (name, make, options) => {
  for (const suites of Object.values(contractParts)) suites(name, make, options)
}
