import { isFinalRefusal, subjectOfWords } from '@posthorn/core/ports'

/** An enhanced status that is no part of an IP address or of a longer number (RFC 3463). */
const enhanced = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\d|\.\d)/

/** The first enhanced status in a text. */
export const statusIn = (text: string): string | undefined => enhanced.exec(text)?.[0]

/** A reply code of SMTP where servers write one: behind `said:`, `smtp;`, a bracket or at the start of a line. */
const basic = /(?:said:|smtp;|<<<|^|[([:>])[ \t]{0,4}([245])\d\d(?=[ :\-#\])])/im

/** The class of the first reply code in a text: `5` of `550`. */
export const classIn = (text: string): string | undefined => basic.exec(text)?.[1]

/** Where a server had a bare 550, what reports it often says 5.1.1, whatever the words are: then they decide. */
const unlessOutweighed = (text: string, reported: string | undefined): string | undefined => {
  if (reported === undefined || text === '') return reported
  const saysOther = !isFinalRefusal({ text }) && isFinalRefusal({ status: reported, text: '' })
  return saysOther && subjectOfWords(text) !== 'other' ? undefined : reported
}

/**
 * What a failure is: `permanent` where the address is gone; everything else says nothing of the next mail. The status that the remote
 * server gave in its own words counts for more than the one that the reporting server made of it.
 */
export const failureOf = (text: string, reported?: string): 'permanent' | 'transient' => {
  const own = statusIn(text)
  const status = own ?? reported
  if (status?.startsWith('4') || (own === undefined && classIn(text) === '4')) return 'transient'
  return isFinalRefusal({ status: own ?? unlessOutweighed(text, reported), text }) ? 'permanent' : 'transient'
}
