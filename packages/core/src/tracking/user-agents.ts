/** Longer User-Agents are cut to 512 characters: the parts that identify a machine are at the front. */
const longestAgent = 512

/** The User-Agent for comparison: trimmed, in lower case, at most 512 characters. */
export const agentOf = (headers: Readonly<Record<string, string>>): string =>
  (headers['user-agent'] ?? '').slice(0, longestAgent).trim().toLowerCase()

/** Substrings that identify mail scanners, link previews, crawlers and programs. */
const machineNames: readonly string[] = [
  // Crawlers, and programs that call themselves crawlers.
  'bot',
  'crawl',
  'spider',
  'slurp',
  'scanner',
  'ia_archiver',
  'feedfetcher',
  'google-safety',
  'google-read-aloud',
  'google-inspectiontool',
  'googleother',
  'apis-google',
  'chrome-lighthouse',
  // Link previews.
  'preview',
  'linkexpanding',
  'slack-imgproxy',
  'facebookexternal',
  'facebookcatalog',
  'meta-external',
  'kakaotalk-scrap',
  'line-poker',
  'googlemessages/',
  'embedly',
  'iframely',
  // Scanners.
  'barracuda',
  'proofpoint',
  'mimecast',
  'symantec',
  'messagelabs',
  'cloudmark',
  'trendmicro',
  'trend micro',
  'fortiguard',
  'fortimail',
  'fortisandbox',
  'ciscosecureemail',
  'ironport',
  'safelinks',
  'vadesecure',
  'avanan',
  'netcraft',
  'phishtank',
  'urlscan',
  'virustotal',
  'safebrowsing',
  'palo alto networks',
  'censysinspect',
  'zgrab',
  'nuclei',
  // Automated browsers.
  'headlesschrome',
  'phantomjs',
  'selenium',
  'puppeteer',
  'playwright',
  // Website monitors.
  'pingdom',
  'statuscake',
  'uptime',
  // Programs.
  'python',
  'aiohttp',
  'go-http-client',
  'httpclient',
  'http_client',
  'libwww',
  'lwp::simple',
  'lua-resty-http',
  'winhttp',
  'powershell',
  'node-fetch',
  'guzzle',
  'mechanize',
  'scrapy',
  'hubspot connect',
  'hackney',
  'reqwest',
  'restsharp',
]

/** Prefixes that identify machines. */
const machineBeginnings: readonly string[] = [
  'whatsapp/',
  'viber/',
  'curl/',
  'wget/',
  'java/',
  'ruby',
  'php/',
  'perl',
  'axios/',
  'undici',
  'got ',
  'ahc/',
  'jetty/',
  'dart/',
  'deno/',
  'bun/',
  'postmanruntime/',
]

/**
 * Agents that load the images of a mail that a person reads, but never follow a link for a person: HTTP libraries of mail apps, Office (it
 * checks a link before it opens the browser), and image proxies.
 */
const picturesOnly: readonly string[] = [
  'okhttp/',
  'dalvik/',
  'cfnetwork/',
  'dataaccessd/',
  'ms-office',
  'microsoft office',
  'microsoft outlook',
  'googleimageproxy',
  'yahoomailproxy',
]

/** A brand of phones whose name contains `bot`. */
const telephone = 'cubot'

/** Browser engines. Every graphical browser names one, with `Mozilla/` or `Opera/` before it. */
const engines: readonly string[] = ['applewebkit/', 'gecko', 'trident/', 'msie ', 'presto/', 'khtml']

/** Prefixes of browsers that do not call themselves Mozilla. */
const otherBrowsers: readonly string[] = ['lynx/', 'w3m/', 'elinks', 'links (', 'netsurf/', 'dillo/', 'emacs', 'ucweb/']

const begins = (agent: string, beginnings: readonly string[]) =>
  beginnings.some((beginning) => agent.startsWith(beginning))
const includes = (agent: string, parts: readonly string[]) => parts.some((part) => agent.includes(part))

/** Whether the agent loads images when a person reads a mail, but never follows a link for a person. */
export const loadsPictures = (agent: string): boolean => isPicturesAhead(agent) || includes(agent, picturesOnly)

/** Whether a person can follow a link with the agent: a browser, or one embedded in an app. */
export const isBrowser = (agent: string): boolean =>
  begins(agent, otherBrowsers) ||
  (begins(agent, ['mozilla/', 'opera/']) && includes(agent, engines) && !loadsPictures(agent))

/** Whether the name alone identifies a machine, for every kind of request. An empty name does too: browsers and mail apps have one. */
export const isMachineAgent = (agent: string): boolean => {
  const name = agent.replaceAll(telephone, '')
  return (
    agent === '' ||
    agent === 'node' ||
    begins(name, machineBeginnings) ||
    (!begins(name, otherBrowsers) && includes(name, machineNames))
  )
}

/**
 * Whether an image proxy makes the request before a person reads the mail. Two do: Apple's Mail Privacy Protection, which calls itself
 * only `Mozilla/5.0` and loads every image when the mail arrives, and the browser that Gmail names when it loads images into an open
 * inbox. Gmail's `GoogleImageProxy` and Yahoo's `YahooMailProxy` make requests when a person opens the mail.
 */
export const isPicturesAhead = (agent: string): boolean =>
  agent === 'mozilla/5.0' || agent.endsWith('edge/12.246 mozilla/5.0')
