/**
 * FIPS 180-4: fractional parts of the cube roots of the first 64 primes, and of the square roots of the first eight.
 */
const rounds =
  '428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 243185be 550c7dc3 ' +
  '72be5d74 80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da ' +
  '983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 27b70a85 2e1b2138 4d2c6dfc 53380d13 ' +
  '650a7354 766a0abb 81c2c92e 92722c85 a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 ' +
  '19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 ' +
  '90befffa a4506ceb bef9a3f7 c67178f2'
const initial = '6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19'

/** `solve(challenge)` resolves with the token, a few ms at a time. Pages without TLS have no WebCrypto. */
export const proofOfWorkScript = `
  const words = (text) => Int32Array.from(text.split(' '), (word) => parseInt(word, 16))
  const rounds = words('${rounds}')
  const initial = words('${initial}')
  const schedule = new Int32Array(64)
  const turned = (word, bits) => (word >>> bits) | (word << (32 - bits))

  const compress = (state, bytes, at) => {
    for (let i = 0; i < 16; i++, at += 4)
      schedule[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
    for (let i = 16; i < 64; i++) {
      const late = schedule[i - 2]
      const early = schedule[i - 15]
      const s1 = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
      const s0 = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
      schedule[i] = schedule[i - 16] + s0 + schedule[i - 7] + s1
    }
    let a = state[0], b = state[1], c = state[2], d = state[3]
    let e = state[4], f = state[5], g = state[6], h = state[7]
    for (let i = 0; i < 64; i++) {
      const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + rounds[i] + schedule[i]) | 0
      const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g; g = f; f = e; e = (d + t1) | 0
      d = c; c = b; b = a; a = (t1 + t2) | 0
    }
    state[0] += a; state[1] += b; state[2] += c; state[3] += d
    state[4] += e; state[5] += f; state[6] += g; state[7] += h
  }

  const hasherAfter = (salt) => {
    const bytes = new TextEncoder().encode(salt)
    const whole = bytes.length & ~63
    const midstate = initial.slice()
    for (let at = 0; at < whole; at += 64) compress(midstate, bytes, at)
    const rest = bytes.subarray(whole)
    const tail = new Uint8Array(128)
    const state = new Int32Array(8)
    return (number) => {
      const digits = String(number)
      const size = rest.length + digits.length
      const length = size < 56 ? 64 : 128
      tail.fill(0)
      tail.set(rest)
      for (let i = 0; i < digits.length; i++) tail[rest.length + i] = digits.charCodeAt(i)
      tail[size] = 128
      const bits = (whole + size) * 8
      for (let i = 1; i < 4; i++) tail[length - i] = bits >>> (8 * (i - 1))
      state.set(midstate)
      for (let at = 0; at < length; at += 64) compress(state, tail, at)
      return state
    }
  }

  const solve = async ({ algorithm, challenge, maxnumber, salt, signature }) => {
    const wanted = words(challenge.match(/.{8}/g).join(' '))
    const hashed = hasherAfter(salt)
    const isWanted = (hash) => hash[0] === wanted[0] && wanted.every((word, i) => word === hash[i])
    const { port1, port2 } = new MessageChannel()
    const breath = () => new Promise((resolve) => {
      port1.onmessage = resolve
      port2.postMessage(0)
    })
    const find = async () => {
      for (let number = 0; number <= maxnumber; await breath()) {
        const until = performance.now() + 10
        while (number <= maxnumber && performance.now() < until)
          for (const end = number + 100; number < end; number++) if (isWanted(hashed(number))) return number
      }
      throw new Error('The check did not succeed. Please try again.')
    }
    const number = await find().finally(() => port1.close())
    return btoa(JSON.stringify({ algorithm, challenge, number, salt, signature }))
  }
`
