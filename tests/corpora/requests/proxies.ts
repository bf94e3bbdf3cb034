import { machine, person, type RequestSequence, sequence } from './request-sequence.js'

/** Requests of image proxies, and of people whose mail app uses one. */
export const proxySequences: readonly RequestSequence[] = [
  sequence(
    'apple-privacy-at-delivery',
    'Apple loads the picture a minute after delivery; nobody reads the mail',
    machine.opens(64, 'appleProxy'),
  ),
  sequence(
    'apple-privacy-at-night',
    'Apple loads the picture hours later, when the telephone is charged',
    machine.opens(50_000, 'appleProxy'),
  ),
  sequence(
    'apple-privacy-and-click',
    'Apple loads the picture; the person follows a link in the evening',
    machine.opens(140, 'appleProxy'),
    person.clicks(32_000, 'safariPhone', 0),
  ),
  sequence(
    'apple-privacy-when-opened',
    'Apple had not loaded the picture ahead and does when the person opens the mail',
    person.opens(7_200, 'appleProxy'),
    person.clicks(7_220, 'safari', 1),
  ),
  sequence(
    'apple-mail-without-privacy',
    'Somebody who keeps Mail Privacy Protection off opens the mail and a link',
    person.opens(600, 'appleMailPhone'),
    person.clicks(640, 'safariPhone', 0),
  ),
  sequence('gmail-opened', 'Gmail loads the picture when the person opens the mail', person.opens(420, 'gmailProxy')),
  sequence(
    'gmail-opened-twice',
    'Gmail loads the picture again when the mail is opened again',
    person.opens(420, 'gmailProxy'),
    person.opens(9_000, 'gmailProxy'),
    person.clicks(9_015, 'chrome', 0),
  ),
  sequence(
    'gmail-inbox-open',
    'Gmail loads the picture into an inbox that is open; the person reads the mail later',
    machine.opens(6, 'gmailAhead'),
    person.opens(1_900, 'gmailProxy'),
    person.clicks(1_930, 'chromeAndroid', 0),
  ),
  sequence(
    'gmail-inbox-open-only',
    'Gmail loads the picture into an inbox that is open',
    machine.opens(25, 'gmailAhead'),
  ),
  sequence(
    'gmail-checked-at-delivery',
    'Gmail loads the picture in the moment of delivery, before anybody can have opened it',
    machine.opens(0.9, 'gmailProxy'),
    person.opens(5_000, 'gmailProxy'),
  ),
  sequence(
    'gmail-of-a-workspace',
    'Gmail opens the mail of a company whose filter had opened all links',
    machine.clicks(1, 'chrome', 0),
    machine.clicks(1.1, 'chrome', 1),
    machine.clicks(1.3, 'chrome', 2),
    person.opens(240, 'gmailProxy'),
    person.clicks(262, 'chrome', 1),
  ),
  sequence('yahoo-opened', 'Yahoo loads the picture when the person opens the mail', person.opens(3_100, 'yahooProxy')),
  sequence(
    'yahoo-and-click',
    'A person reads the mail at Yahoo and follows a link',
    person.opens(500, 'yahooProxy'),
    person.clicks(520, 'firefox', 0),
  ),
  sequence(
    'yahoo-ahead',
    'Yahoo loads the picture some seconds after delivery; nobody reads the mail',
    machine.opens(12, 'yahooProxy'),
  ),
  sequence(
    'proxy-follows-link',
    'A proxy of pictures is sent to a link, which no person does',
    machine.clicks(100, 'gmailProxy', 0),
  ),
]
