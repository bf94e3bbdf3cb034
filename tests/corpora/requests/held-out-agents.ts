const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'
const webView =
  'Mozilla/5.0 (Linux; Android 14; SM-A546B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.6723.106 Mobile Safari/537.36'

/** `User-Agent` headers of the held-out sequences, which were not used to write the rules. */
export const heldOutAgents = {
  // Browsers.
  chrome: `${windows} Chrome/131.0.0.0 Safari/537.36`,
  chromeLinux: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  chromeMac:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  chromePhone:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  chromeOniPhone: `${iPhone} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`,
  edge: `${windows} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`,
  firefox: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0',
  firefoxPhone: 'Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0',
  tor: 'Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0',
  safari:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1.1 Safari/605.1.15',
  safariPhone: `${iPhone} Version/18.1.1 Mobile/15E148 Safari/604.1`,
  googleApp: `${iPhone} GSA/342.0.693598186 Mobile/15E148 Safari/604.1`,
  duckPhone: `${iPhone} Version/18.1 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15`,
  samsung:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
  silk: 'Mozilla/5.0 (Linux; Android 9; KFTRWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/124.3.4 like Chrome/124.0.6367.113 Safari/537.36',
  opera: `${windows} Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0`,
  operaMini:
    'Opera/9.80 (J2ME/MIDP; Opera Mini/9.80 (S60; SymbOS; Opera Mobi/23.348; U; en) Presto/2.5.25 Version/10.54',
  kaiOs: 'Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
  playStation:
    'Mozilla/5.0 (PlayStation; PlayStation 5/9.60) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15',
  windows7:
    'Mozilla/5.0 (Windows NT 6.1; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/109.0.0.0 Safari/537.36',
  explorer: 'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
  // Text browsers.
  lynx: 'Lynx/2.9.0dev.12 libwww-FM/2.14 SSL-MM/1.4.1 GNUTLS/3.7.8',
  w3m: 'w3m/0.5.3+git20230121',
  elinks: 'ELinks/0.16.1.1 (textmode; Linux 6.1.0-18-amd64 x86_64; 200x50-2)',
  netSurf: 'NetSurf/3.11 (Linux; x86_64)',
  // Browsers inside apps.
  facebookApp: `${iPhone} Mobile/15E148 [FBAN/FBIOS;FBAV/485.1.0.45.110;FBBV/665337277;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/18.1.1;FBSS/3;FBLC/de_DE;FBOP/5]`,
  facebookAndroid: `${webView} [FB_IAB/FB4A;FBAV/490.0.0.50.82;]`,
  linkedInApp: `${iPhone} Mobile/15E148 [LinkedInApp]/9.30.4567`,
  weChat: `${webView} MMWEBID/5843 MicroMessenger/8.0.49.2600(0x28003133) WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64`,
  lineApp: `${iPhone} Mobile/15E148 Safari Line/14.17.0`,
  kakaoApp: `${webView};KAKAOTALK 2410560`,
  pinterestApp: `${iPhone} Mobile/15E148 [Pinterest/iOS]`,
  gmailWebView: webView,
  // Mail apps.
  mailWithoutPrivacy: `${iPhone} Mobile/15E148`,
  newOutlook: `${windows} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0 OneOutlook/1.2024.1111.100`,
  oldOutlook:
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/7.0; .NET4.0C; .NET4.0E; Microsoft Outlook 16.0.18129; Microsoft Outlook 16.0.18129; ms-office; MSOffice 16)',
  outlookRmj: 'Mozilla/4.0 (compatible; ms-office; MSOffice rmj)',
  thunderbird: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.5.0',
  kMail:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) KMail/6.2.0 QtWebEngine/6.7.2 Chrome/118.0.5993.220 Safari/537.36',
  evolution: 'Evolution/3.52.3',
  notes: 'Mozilla/4.0 (compatible; Lotus-Notes/6.0; Windows-NT)',
  spark: 'Spark/3.16.3.82834 CFNetwork/1568.200.51 Darwin/24.1.0',
  postbox: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:91.0) Gecko/20100101 Postbox/7.0.59',
  // Image proxies.
  apple: 'Mozilla/5.0',
  gmail: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  gmailAhead: `${windows} Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0`,
  yahoo: 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  // Scanners with the names of browsers, in versions that few people use.
  chrome79: `${windows} Chrome/79.0.3945.136 Safari/537.36`,
  chrome80: `${windows} Chrome/80.0.3987.132 Safari/537.36`,
  chrome96: `${windows} Chrome/96.0.4664.110 Safari/537.36`,
  firefox40: 'Mozilla/5.0 (Windows NT 6.1; WOW64; rv:40.0) Gecko/20100101 Firefox/40.1',
  firefox69: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:69.0) Gecko/20100101 Firefox/69.0',
  headless:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.6778.85 Safari/537.36',
  // Scanners with their own names.
  sentinel: 'Barracuda Sentinel (EE)',
  areaOne: 'Cloudflare-Area1-Security/1.0',
  cloudFront: 'Amazon CloudFront',
  exchange: 'Microsoft Exchange/15.20 (Windows NT 10.0; Win64; x64)',
  cryptoApi: 'Microsoft-CryptoAPI/10.0',
  officeProtocol: 'Microsoft Office Protocol Discovery',
  officeHead: 'Microsoft Office Existence Discovery',
  mcAfee: 'McAfee Web Gateway/11.2',
  sophos: 'SophosLabs URL Intelligence',
  zscaler: 'Zscaler-Inspection/6.2',
  hornet: 'Hornetsecurity ATP 2.0',
  trustwave: 'Trustwave MailMarshal BTM',
  fireEye: 'FireEye-ETP/4',
  cloudmark: 'Mozilla/5.0 (compatible; Cloudmark Link Analysis)',
  retarus: 'Retarus Time-of-Click 1.4',
  // Link previews and readers.
  slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  whatsApp: 'WhatsApp/2.24.24.78 A',
  signal: 'WhatsApp/2',
  teams: 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  mattermost: 'Mattermost-Bot/1.1',
  rocketChat: 'RocketChat/6.13.0 (+https://rocket.chat)',
  webex: 'WebexTeams',
  synapse: 'Synapse (bot; +https://github.com/matrix-org/synapse)',
  mastodon: 'Mastodon/4.3.1 (http.rb/5.2.0; +https://social.example/)',
  snap: 'Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots',
  asana: 'Asana/1.4.0 WebsiteMetadataRetriever',
  nextcloud: 'Nextcloud Server Crawler',
  pocket: 'PocketParser/2.0 (+https://getpocket.com/pocketparser_ua)',
  feedly: 'Feedly/1.0 (+http://www.feedly.com/fetcher.html; 1 subscribers; like FeedFetcher-Google)',
  chatGpt: 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  iMessage:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
  // Programs.
  asyncHttp: 'AHC/2.1',
  javaClient: 'Java-http-client/17.0.9',
  okHttp: 'okhttp/4.9.3',
  faraday: 'Faraday v2.9.0',
  typhoeus: 'Typhoeus - https://github.com/typhoeus/typhoeus',
  colly: 'colly - https://github.com/gocolly/colly/v2',
  restClient: 'rest-client/2.1.0 (linux x86_64) ruby/3.2.2p53',
  pycurl: 'PycURL/7.45.2 libcurl/7.88.1 OpenSSL/3.0.11 zlib/1.2.13',
  httpie: 'HTTPie/3.2.2',
  fastHttp: 'fasthttp',
  ownProgram: 'LinkChecker-internal 3',
  symfony: 'Symfony HttpClient (Curl)',
  rss: 'Social News Desk RSS Scraper',
  compatible: 'Mozilla/4.0 (compatible;)',
} as const
