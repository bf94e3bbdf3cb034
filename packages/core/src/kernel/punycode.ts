const base = 36
const [tMin, tMax, skew, damp] = [1, 26, 38, 700] as const

const adapted = (change: number, points: number, isFirst: boolean): number => {
  let delta = isFirst ? Math.floor(change / damp) : change >> 1
  delta += Math.floor(delta / points)
  let k = 0
  for (; delta > ((base - tMin) * tMax) >> 1; k += base) delta = Math.floor(delta / (base - tMin))
  return k + Math.floor(((base - tMin + 1) * delta) / (delta + skew))
}

const thresholdAt = (k: number, bias: number) => Math.min(Math.max(k - bias, tMin), tMax)

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Decodes the part after `xn--` of a label to Unicode (RFC 3492 section 6.2). Undefined if it is not valid Punycode in lower case. */
export const fromPunycode = (text: string): string | undefined => {
  const delimiter = text.lastIndexOf('-')
  const points = Array.from(text.slice(0, Math.max(0, delimiter)), (basic) => basic.charCodeAt(0))
  let [point, i, bias, at] = [128, 0, 72, delimiter + 1]
  while (at < text.length) {
    const before = i
    let weight = 1
    for (let k = base; ; k += base) {
      const digit = digits.indexOf(text.charAt(at++) || ' ')
      if (digit < 0) return undefined
      i += digit * weight
      const threshold = thresholdAt(k, bias)
      if (digit < threshold) break
      weight *= base - threshold
    }
    const length = points.length + 1
    bias = adapted(i - before, length, before === 0)
    point += Math.floor(i / length)
    if (point > 0x10ffff) return undefined
    i %= length
    points.splice(i++, 0, point)
  }
  return String.fromCodePoint(...points)
}

const digitsOf = (delta: number, bias: number): string => {
  let [written, rest] = ['', delta]
  for (let k = base; ; k += base) {
    const threshold = thresholdAt(k, bias)
    if (rest < threshold) return written + digits.charAt(rest)
    const span = base - threshold
    written += digits.charAt(threshold + ((rest - threshold) % span))
    rest = Math.floor((rest - threshold) / span)
  }
}

/** Encodes the text as the part after `xn--` of a label (RFC 3492 section 6.3). */
export const toPunycode = (text: string): string => {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const basics = points.filter((point) => point < 128)
  let written = basics.length > 0 ? `${String.fromCodePoint(...basics)}-` : ''
  let [point, delta, bias, done] = [128, 0, 72, basics.length]
  while (done < points.length) {
    const next = Math.min(...points.filter((one) => one >= point))
    delta += (next - point) * (done + 1)
    point = next
    for (const one of points) {
      if (one < point) delta++
      if (one !== point) continue
      written += digitsOf(delta, bias)
      bias = adapted(delta, done + 1, done === basics.length)
      delta = 0
      done++
    }
    delta++
    point++
  }
  return written
}
