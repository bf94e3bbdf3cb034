import { machine, person, type RequestSequence, sequence, sweep } from './request-sequence.js'

/** Requests after a person shares a link, and requests of crawlers. */
export const previewSequences: readonly RequestSequence[] = [
  sequence(
    'slack-channel',
    'A person opens a link and pastes it into Slack; two colleagues follow it',
    person.opens(300, 'appleMail'),
    person.clicks(310, 'safari', 0),
    machine.clicks(340, 'slack', 0),
    machine.clicks(341, 'slackPicture', 0),
    person.clicks(352, 'chrome', 0),
    person.clicks(353, 'firefox', 0),
  ),
  sequence(
    'whatsapp-group',
    'A link is passed on in WhatsApp, which asks twice for the preview',
    person.clicks(1_000, 'chromeAndroid', 1),
    machine.clicks(1_030, 'whatsApp', 1),
    machine.clicks(1_030.5, 'whatsApp', 1),
    person.clicks(1_100, 'safariPhone', 1),
  ),
  sequence('imessage', 'iMessage shows a preview under the names of several others', machine.clicks(90, 'iMessage', 0)),
  sequence(
    'teams',
    'Teams shows a preview of a link that somebody pasted',
    machine.clicks(4_000, 'teams', 2),
    person.clicks(4_020, 'edge', 2),
  ),
  sequence('telegram', 'Telegram shows a preview', machine.clicks(50, 'telegram', 0)),
  sequence(
    'facebook-post',
    'Facebook asks for a link that was posted, again and again',
    machine.clicks(8_000, 'facebook', 0),
    machine.clicks(8_001, 'facebook', 0),
    machine.clicks(90_000, 'facebook', 0),
  ),
  sequence('linkedin-post', 'LinkedIn asks for a link that was posted', machine.clicks(8_000, 'linkedIn', 0)),
  sequence('discord', 'Discord shows a preview', machine.clicks(120, 'discord', 0)),
  sequence(
    'googlebot',
    'Google finds the mail in a public archive and follows its links over days',
    ...sweep(86_400, 4, 3_600, ['googlebot']),
  ),
  sequence('ahrefs', 'A crawler of links finds one', machine.clicks(200_000, 'ahrefs', 0)),
  sequence('curl', 'Somebody tries a link with curl', machine.clicks(600, 'curl', 0)),
  sequence(
    'instagram-browser',
    'A person follows a link that was passed on, in the browser of Instagram',
    person.clicks(3_000, 'instagram', 0),
  ),
]
