/** Older ones fail: mongodb and html-to-text need it. `engines` of each package.json says so. */
export const oldestNode = '20.19.0'

/** The versions of Node that Posthorn is tested on; the README names the same, and a test holds them to it. Others may work. */
export const nodeVersions = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'] as const

const majorOf = (version: string) => version.split('.')[0]

/** The tested version of this major version, or the newest. @throws Error that names the tested ones */
export const nodeVersion = (major: string): string => {
  const version = major === 'newest' ? nodeVersions.at(-1) : nodeVersions.find((one) => majorOf(one) === major)
  if (version) return version
  throw new Error(
    `Node ${major} is not tested here. Take one of ${nodeVersions.map(majorOf).join(', ')}, newest, or others.`,
  )
}

/** The tested versions except the running one and the newest. */
export const otherVersions = (running: string): readonly string[] =>
  nodeVersions.slice(0, -1).filter((one) => majorOf(one) !== majorOf(running))
