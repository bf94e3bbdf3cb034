/** Certificates of any port: loads neither an SMTP server nor a mailbox reader. */
export {
  type Certificate,
  type CertificateFiles,
  certificateWarning,
  readCertificate,
  UnusableCertificate,
  type WatchedCertificate,
  watchCertificate,
} from './server/certificate-files.js'
