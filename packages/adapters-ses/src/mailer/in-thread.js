/** Plain JavaScript, for a thread that is started from a file as it lies there; what it loads is what is built. */
export { threadMailer as openMailer } from '#built/mailer/thread-mailer.js'
