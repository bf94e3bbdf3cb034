/** In characters: what identifies a machine is at the front. */
const longestAgent = 512

/** Trimmed, lower case, cut. */
export const userAgentOf = (headers: Readonly<Record<string, string>>): string =>
  (headers['user-agent'] ?? '').slice(0, longestAgent).trim().toLowerCase()

/** Substrings of scanners, link previews, crawlers and programs. */
const machineNames: readonly string[] = [
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
  'pingdom',
  'statuscake',
  'uptime',
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

/** Prefixes of machines. */
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
 * Load images for a person, but never follow a link: HTTP libraries of mail apps, Office (checks a link before opening the browser), image proxies.
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

/** A phone brand whose name contains `bot`. */
const telephone = 'cubot'

/** Every graphical browser names one, after `Mozilla/` or `Opera/`. */
const engines: readonly string[] = ['applewebkit/', 'gecko', 'trident/', 'msie ', 'presto/', 'khtml']

/** Browsers that do not call themselves Mozilla. */
const otherBrowsers: readonly string[] = ['lynx/', 'w3m/', 'elinks', 'links (', 'netsurf/', 'dillo/', 'emacs', 'ucweb/']

const begins = (agent: string, beginnings: readonly string[]) =>
  beginnings.some((beginning) => agent.startsWith(beginning))
const includes = (agent: string, parts: readonly string[]) => parts.some((part) => agent.includes(part))

/** Loads images for a reader, but never follows a link. */
export const loadsPictures = (agent: string): boolean => prefetchesPictures(agent) || includes(agent, picturesOnly)

/** A browser, or one embedded in an app. */
export const isBrowser = (agent: string): boolean =>
  begins(agent, otherBrowsers) ||
  (begins(agent, ['mozilla/', 'opera/']) && includes(agent, engines) && !loadsPictures(agent))

/** By name alone. An empty name is a machine's: browsers and mail apps have one. */
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
 * Requests images before a person reads the mail: Apple's Mail Privacy Protection (only `Mozilla/5.0`), and the browser that Gmail names when it
 * loads images into an open inbox. `GoogleImageProxy` and `YahooMailProxy` request them when a person opens the mail.
 */
export const prefetchesPictures = (agent: string): boolean =>
  agent === 'mozilla/5.0' || agent.endsWith('edge/12.246 mozilla/5.0')
