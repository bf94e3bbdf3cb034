/** Unicode blocks of right-to-left scripts, whose letters have the bidi classes R and AL. */
const block = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}'
const arabicNumber =
  '\\u0600-\\u0605\\u0660-\\u0669\\u066b\\u066c\\u06dd\\u08e2\\u{10d30}-\\u{10d39}\\u{10d40}-\\u{10d49}\\u{10e60}-\\u{10e7e}'
/** European digits within those blocks. */
const europeanDigit = '0-9\\u06f0-\\u06f9'

const rightToLeft = new RegExp(`(?![\\p{M}${europeanDigit}])[${block}]`, 'u')
const leftToRightLetter = new RegExp(`(?=\\p{L})(?![${block}])`, 'u')
const startsWithLetter = /^\p{L}/u
const endsInLetterOrDigit = /[\p{L}\p{N}]\p{M}*$/u
const hasArabicNumber = new RegExp(`[${arabicNumber}]`, 'u')
const hasEuropeanDigit = new RegExp(`[${europeanDigit}]`, 'u')

const isRightToLeft = (label: string) => rightToLeft.test(label)

const isOfOneDirection = (label: string): boolean =>
  !isRightToLeft(label) ||
  !(leftToRightLetter.test(label) || (hasArabicNumber.test(label) && hasEuropeanDigit.test(label)))

/**
 * Whether the Unicode labels of a host name follow the Bidi rule (RFC 5893 section 2), so that they are displayed in their real order.
 * Stricter than the rule: it also restricts signs at the end of a label.
 */
export const followsBidiRule = (labels: readonly string[]): boolean =>
  !labels.some(isRightToLeft) ||
  labels.every((label) => startsWithLetter.test(label) && endsInLetterOrDigit.test(label) && isOfOneDirection(label))
