export { type NodePortsOptions, nodePorts, workerName } from './node-ports.js'
export { type OpenedStore, openPosthorn, type Posthorn, type PosthornOptions } from './posthorn.js'
export { openSubmission, type SubmissionOptions } from './submission.js'
