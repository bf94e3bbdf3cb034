export const contactHref = (href: (path: string) => string, email: string) =>
  href(`/audience/contacts/${encodeURIComponent(email.toWellFormed())}`)
