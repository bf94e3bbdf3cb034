export { mongoFiles } from './mongo-files.js'
export { openMongoJobBackend } from './mongo-job-backend.js'
