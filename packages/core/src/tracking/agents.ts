/** Longer names are cut: what tells a machine stands at the front. */
const longestAgent = 512

/** A User-Agent as it is compared: in lower case, without blanks around it, at most 512 characters. */
export const agentOf = (headers: Readonly<Record<string, string>>): string =>
  (headers['user-agent'] ?? '').slice(0, longestAgent).trim().toLowerCase()

/** Parts of the names by which scanners of mail, previews of links, crawlers and programs give themselves away. */
const machineNames: readonly string[] = [
  // Crawlers and what calls itself one.
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
  // Previews of links.
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
  // Browsers that nobody sits before.
  'headlesschrome',
  'phantomjs',
  'selenium',
  'puppeteer',
  'playwright',
  // Watchers of pages.
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

/** The same for names of which these are the beginning. */
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
 * Who loads the pictures of a mail that a person reads, and never follows a link for them: programs that mail apps are made of, Office,
 * which looks at a link before it hands it to the browser, and proxies of pictures.
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

/** A brand of telephones whose name ends as those of crawlers do. */
const telephone = 'cubot'

/** What browsers are built on; every browser but those in text names one, and `Mozilla/` or `Opera/` before it. */
const engines: readonly string[] = ['applewebkit/', 'gecko', 'trident/', 'msie ', 'presto/', 'khtml']

/** Beginnings of the names of browsers that do not call themselves Mozilla. */
const otherBrowsers: readonly string[] = ['lynx/', 'w3m/', 'elinks', 'links (', 'netsurf/', 'dillo/', 'emacs', 'ucweb/']

const begins = (agent: string, beginnings: readonly string[]) =>
  beginnings.some((beginning) => agent.startsWith(beginning))
const includes = (agent: string, parts: readonly string[]) => parts.some((part) => agent.includes(part))

/** Whether this name never follows a link for a person, but loads pictures when a person reads a mail. */
export const loadsPictures = (agent: string): boolean => isPicturesAhead(agent) || includes(agent, picturesOnly)

/** Whether a person can follow a link with it: a browser, or one that an app contains. */
export const isBrowser = (agent: string): boolean =>
  begins(agent, otherBrowsers) ||
  (begins(agent, ['mozilla/', 'opera/']) && includes(agent, engines) && !loadsPictures(agent))

/** Whether a machine is known by this name, whatever it asks for. No name at all is a machine's, too: browsers and mail apps have one. */
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
 * Whether a proxy of pictures asks before anybody reads the mail: Apple's Mail Privacy Protection, which calls itself `Mozilla/5.0` and
 * nothing more and loads every picture when the mail arrives, and the browser that Gmail shows when it loads pictures into an inbox that is open at the time. Gmail's
 * `GoogleImageProxy` and Yahoo's `YahooMailProxy` ask when somebody opens the mail.
 */
export const isPicturesAhead = (agent: string): boolean =>
  agent === 'mozilla/5.0' || agent.endsWith('edge/12.246 mozilla/5.0')
