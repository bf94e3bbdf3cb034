import { isPermanentRefusal, statusIn } from '@posthorn/core/ports/transport'

/** An SMTP reply code where servers write one: after `said:`, `smtp;`, a bracket, or at the start of a line. */
const basic = /(?:said:|smtp;|<<<|^|[([:>])[ \t]{0,4}([245])\d\d(?=[ :\-#\])])/im

/** `5` of `550`. */
export const classIn = (text: string): string | undefined => basic.exec(text)?.[1]

/** `permanent` if the address no longer exists; other failures say nothing about the next mail. */
export const failureOf = (text: string, reported?: string): 'permanent' | 'transient' => {
  if (statusIn(text) === undefined && classIn(text) === '4') return 'transient'
  return isPermanentRefusal({ status: reported, text }) ? 'permanent' : 'transient'
}
