import { machine, person, type RequestSequence, sequence, sweep } from './request-sequence.js'

const prefetch = { headers: { purpose: 'prefetch' } }

/** Requests of mail filters, with and without the recipient's own. */
export const scannerSequences: readonly RequestSequence[] = [
  // Microsoft Defender for Office 365.
  sequence(
    'safelinks-all-links',
    'Defender opens every link within a second of delivery, with the names of browsers',
    ...sweep(1.2, 6, 0.15, ['chrome', 'edge', 'chrome']),
  ),
  sequence(
    'safelinks-detonation',
    'Defender opens the mail in a browser half a minute later: picture, all links and the hidden one',
    machine.opens(31, 'edge'),
    ...sweep(32, 5, 0.4, ['edge']),
    machine.falls(34.2, 'edge'),
  ),
  sequence(
    'safelinks-then-person',
    'Defender opens every link at delivery; the person follows one a quarter of an hour later',
    ...sweep(0.8, 4, 0.2, ['edge']),
    person.opens(900, 'outlook'),
    person.clicks(911, 'edge', 2),
  ),
  sequence(
    'safelinks-at-the-click',
    'Defender asks for the head of a link when the person clicks it, then the browser follows it',
    person.opens(5_400, 'edge'),
    machine.clicks(5_410, 'chrome', 1, { method: 'HEAD' }),
    person.clicks(5_411.2, 'edge', 1),
  ),
  sequence(
    'safelinks-two-links',
    'Defender opens both links of a mail at once, a minute after delivery',
    ...sweep(64, 2, 0.12, ['chrome']),
  ),
  sequence(
    'safelinks-single-link',
    'Defender opens the only link of a mail a minute after delivery, with the name of a browser',
    machine.clicks(63, 'chrome', 0),
  ),
  sequence(
    'bing-preview',
    'Outlook on the web shows a preview of a link that the person then follows',
    person.opens(700, 'edge'),
    machine.clicks(702, 'bingPreview', 0),
    person.clicks(730, 'edge', 0),
  ),
  // Proofpoint.
  sequence('proofpoint-named', 'Proofpoint opens links under its own name', ...sweep(3, 4, 1, ['proofpoint'])),
  sequence(
    'proofpoint-many-browsers',
    'Proofpoint opens every link within four seconds, each as another browser',
    ...sweep(6, 7, 0.6, ['oldChrome', 'firefox', 'explorer', 'chromeMac']),
  ),
  sequence(
    'proofpoint-hidden-link',
    'Proofpoint opens two links and the hidden one, with a pause between them',
    machine.clicks(12, 'oldChrome', 0),
    machine.falls(16, 'explorer'),
    machine.clicks(21, 'oldChrome', 1),
  ),
  sequence(
    'proofpoint-before-delivery',
    'Proofpoint opens the links while the relay still waits for its answer',
    ...sweep(-3, 3, 1.2, ['chrome']),
  ),
  sequence(
    'proofpoint-again-later',
    'Proofpoint opens all links again an hour later; the person never does',
    ...sweep(2, 4, 0.3, ['chromeMac']),
    ...sweep(3_600, 4, 0.3, ['chromeMac']),
  ),
  // Mimecast.
  sequence('mimecast-named', 'Mimecast opens each link once under its own name', ...sweep(8, 3, 2, ['mimecast'])),
  sequence('mimecast-nameless', 'Mimecast opens links without any name', ...sweep(45, 3, 20, [''])),
  sequence(
    'mimecast-at-the-click',
    'Mimecast looks at the link when the person clicks it; the person passes its page and follows',
    person.opens(2_000, 'outlook'),
    machine.clicks(2_012, 'mimecast', 0),
    person.clicks(2_019, 'chrome', 0),
  ),
  sequence(
    'mimecast-head-then-get',
    'Mimecast asks for the head of a link and then for all of it, as the same old browser',
    machine.clicks(40, 'explorer', 0, { method: 'HEAD' }),
    machine.clicks(41, 'explorer', 0),
  ),
  // Barracuda.
  sequence(
    'barracuda-sentinel',
    'Barracuda opens picture and links under its own name',
    machine.opens(2.5, 'barracuda'),
    ...sweep(3, 5, 0.5, ['barracuda']),
  ),
  sequence(
    'barracuda-heads',
    'Barracuda asks for the heads of all links, slowly',
    ...sweep(10, 4, 15, ['chrome'], { method: 'HEAD' }),
  ),
  sequence(
    'barracuda-one-by-one',
    'Barracuda opens links as a browser, one each half minute',
    ...sweep(150, 4, 30, ['chrome']),
  ),
  sequence(
    'barracuda-then-person',
    'Barracuda opens all links at delivery, the person opens the mail and a link within two minutes',
    ...sweep(1, 3, 0.4, ['chrome']),
    person.opens(75, 'outlook'),
    person.clicks(96, 'chrome', 0),
  ),
  // Symantec, Cisco, Trend Micro, Fortinet and others.
  sequence('symantec-named', 'Symantec opens the links under its own name', ...sweep(5, 3, 1, ['symantec'])),
  sequence(
    'symantec-heads-first',
    'Symantec asks for heads and then opens the same links as the same browser',
    ...sweep(6, 3, 1, ['oldChrome'], { method: 'HEAD' }),
    ...sweep(6.4, 3, 1, ['oldChrome']),
  ),
  sequence('cisco-named', 'Cisco opens one link under its own name, an hour later', machine.clicks(3_700, 'cisco', 0)),
  sequence(
    'trend-sandbox',
    'Trend Micro opens the mail in a browser that nobody sits before',
    machine.opens(20, 'headless'),
    ...sweep(22, 3, 6, ['headless']),
  ),
  sequence('trend-named', 'Trend Micro opens one link under its own name', machine.clicks(300, 'trend', 1)),
  sequence(
    'sandbox-slow-browser',
    'A sandbox opens every link in turn, as a browser, four seconds each',
    machine.opens(14, 'chrome'),
    ...sweep(15, 5, 4, ['chrome']),
  ),
  sequence(
    'sandbox-later-slow-browser',
    'A sandbox does the same ten minutes after delivery, with the hidden link last',
    ...sweep(600, 5, 4, ['chrome']),
    machine.falls(620, 'chrome'),
  ),
  sequence(
    'sandbox-picture-and-one-link',
    'A sandbox opens the picture and one link, a minute after delivery and as a person would',
    machine.opens(70, 'chrome'),
    machine.clicks(74, 'chrome', 0),
  ),
  sequence(
    'gateway-at-acceptance',
    'A gateway opens the only link in the moment of delivery, as a browser',
    machine.clicks(0.6, 'edge', 0),
  ),
  sequence(
    'gateway-picture-at-acceptance',
    'A gateway loads the picture in the moment of delivery, as a browser',
    machine.opens(0.4, 'chrome'),
  ),
  sequence('gateway-program', 'A gateway written in Python opens links', ...sweep(9, 3, 5, ['python'])),
  sequence(
    'gateway-in-go',
    'A gateway written in Go opens one link twice',
    machine.clicks(30, 'go', 0),
    machine.clicks(31, 'go', 0),
  ),
  sequence('gateway-in-java', 'A gateway written in Java opens one link', machine.clicks(33, 'apacheClient', 0)),
  sequence('gateway-in-node', 'A gateway written for Node opens one link', machine.clicks(33, 'node', 0)),
  sequence(
    'hammering-one-link',
    'A broken filter opens one link twenty times in four seconds, as a browser',
    ...Array.from({ length: 20 }, (_, i) => machine.clicks(500 + i * 0.2, 'explorer', 0)),
  ),
  sequence('options-first', 'A filter asks what a link allows', machine.clicks(77, 'chrome', 0, { method: 'OPTIONS' })),
  sequence(
    'reader-ahead',
    'A mail app loads the first link ahead, and the person follows it',
    person.opens(800, 'chrome'),
    machine.clicks(801, 'chrome', 0, prefetch),
    person.clicks(809, 'chrome', 0),
  ),
  sequence(
    'browser-ahead',
    'A browser loads two links ahead while the pointer rests on them',
    machine.clicks(400, 'chrome', 0, { headers: { 'sec-purpose': 'prefetch;prerender' } }),
    machine.clicks(403, 'chrome', 1, { headers: { 'sec-purpose': 'prefetch' } }),
  ),
  sequence(
    'old-firefox-ahead',
    'An old Firefox loads a link ahead',
    machine.clicks(400, 'firefox', 0, { headers: { 'x-moz': 'prefetch' } }),
  ),
]
