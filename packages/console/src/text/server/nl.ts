import { translatorOf } from './sentences.js'

export const sayServer = translatorOf({
  'must not be empty': 'Dit veld mag niet leeg zijn',
  'expected at most {most} characters, got {got}': 'Hoogstens {most} tekens zijn toegestaan; het zijn er {got}',
  'expected at least {least} characters, got {got}': 'Minstens {least} tekens zijn nodig; het zijn er {got}',
  'expected at least {least} characters': 'Minstens {least} tekens zijn nodig',
  'expected at most {most} characters': 'Hoogstens {most} tekens zijn toegestaan',
  'expected at most {most} entries, got {got}': 'Hoogstens {most} vermeldingen zijn toegestaan; het zijn er {got}',
  'expected at least 1 entry, got 0': 'minstens één vermelding is nodig',
  'expected at most {most}, got {got}': 'Hoogstens {most} is toegestaan; het is {got}',
  'expected at least {least}, got {got}': 'Minstens {least} is nodig; het is {got}',
  'expected more than {least}, got {got}': 'Meer dan {least} is nodig; het is {got}',
  'expected a whole number, got {got}': 'een geheel getal wordt verwacht, het is {got}',
  'expected a whole number': 'een geheel getal wordt verwacht',
  'expected a URL': 'een URL wordt verwacht',
  'expected an http or https URL': 'een URL met http of https wordt verwacht',
  'Invalid email format': 'Dit is geen geldig e-mailadres',
  'Invalid emails format': 'Dit zijn geen geldige e-mailadressen',
  'does not have the expected form': 'De waarde heeft niet de verwachte vorm',
  'Missing required field: {field}': 'Verplicht veld ontbreekt: {field}',
  'expected an ISO date': 'een datum wordt verwacht',
  'expected an ISO date or date-time': 'een datum of tijdstip wordt verwacht',
  'expected an ISO 8601 date and time': 'een datum en tijd worden verwacht',
  'expected an IANA time zone': 'een tijdzone zoals Europe/Amsterdam wordt verwacht',
  'must not contain line breaks': 'Dit veld mag geen regeleinden bevatten',
  'must not contain control characters': 'Dit veld mag geen stuurtekens bevatten',
  'must not contain ; { } < or >': 'Dit veld mag geen ; { } < of > bevatten',
  'expected a URL on the public internet: this server posts nothing to its own machine or network':
    'een URL op het openbare internet wordt verwacht: deze server stuurt niets naar zijn eigen machine of netwerk',
  'must not carry a user name or password': 'Dit veld mag geen gebruikersnaam of wachtwoord bevatten',
  'expected letters, digits and underscores, without spaces':
    'letters, cijfers en underscores zonder spaties worden verwacht',
  'a field {name} exists already': 'er bestaat al een veld {name}',
  'Unknown tag: {name}': 'De tag {name} bestaat niet',
  'at most {most} for a contact': 'hoogstens {most} voor een contact',
  'expected a color as #rrggbb': 'een kleur zoals #0055aa wordt verwacht',
  "expected a font stack such as 'Open Sans', Arial, sans-serif":
    "lettertypen zoals 'Open Sans', Arial, sans-serif worden verwacht",
  'expected a domain name such as example.com': 'een domeinnaam zoals example.com wordt verwacht',
  'expected a bare domain, without protocol or path': 'alleen een domein wordt verwacht, zonder protocol of pad',
  'expected a name below {domain}, such as {example}': 'een naam onder {domain} wordt verwacht, zoals {example}',
  '{domain} is a domain of this project in {region} already': '{domain} is in {region} al een domein van dit project',
  'the domain {domain} is not verified in {region}; add it and its DNS records first':
    'het domein {domain} is in {region} niet geverifieerd; voeg het eerst toe met zijn DNS-records',
  'another account has added the domain {domain}, or one above it; add it to this project and verify it by its DNS records first':
    'een ander account heeft het domein {domain} of een bovenliggend domein toegevoegd; voeg het eerst aan dit project toe en verifieer het met zijn DNS-records',
  '{email} is a sender identity in {region} already': '{email} is in {region} al een afzender',
  'the content of the email must include {{verifyLink}}': 'de inhoud van de e-mail moet {{verifyLink}} bevatten',
  'an active double opt-in needs a transactional email':
    'de bevestiging per mail heeft een transactionele e-mail nodig',
  'too simple': 'te eenvoudig',
  'expected at least one type of event': 'minstens één soort gebeurtenis is nodig',
  'the campaign was last sent at {time}; to send it again, give a later time':
    'de campagne is het laatst om {time} verzonden; geef een later tijdstip om haar opnieuw te verzenden',
  'the campaign has not been sent': 'de campagne is niet verzonden',
  'not possible with a segment': 'niet mogelijk met een segment',
  'the campaign was sent to another list': 'de campagne is naar een andere lijst verzonden',
  'the file is UTF-8 except for {count} places, the first in line {line}. Choose an encoding.':
    'het bestand is UTF-8 op {count} plaatsen na, de eerste in regel {line}. Kies een codering.',
  'folders lie at most {most} deep in one another': 'mappen liggen hoogstens {most} diep in elkaar',
  'the {type} is not complete': 'de afbeelding ({type}) is niet compleet',
  'expected more than the current {limit}, or 0': 'meer dan de huidige {limit} wordt verwacht, of 0',
  'the project sends by these credentials: give others': 'het project verzendt met deze gegevens: geef andere',
  'expected 20 to 200 visible ASCII characters': '20 tot 200 zichtbare ASCII-tekens worden verwacht',
  'expected 1 to 256 visible ASCII characters': '1 tot 256 zichtbare ASCII-tekens worden verwacht',
  'expected a region such as eu-west-1': 'een regio zoals eu-west-1 wordt verwacht',
  'expected the ARN of an IAM role': 'de ARN van een IAM-rol wordt verwacht',
  'Email already exists.': 'Dit e-mailadres bestaat al.',
  'This tag exists already.': 'Deze tag bestaat al.',
  'This email is already in the suppression list.': 'Dit adres is al onderdrukt.',
  'The provided email is on the suppression list.': 'Dit adres is onderdrukt.',
  'The contact is not unverified on this list.': 'Het abonnement op deze lijst wacht niet op bevestiging.',
  'Double opt-in is not enabled for this list.': 'Deze lijst vraagt geen bevestiging per mail.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in a minute.':
    'Het adres heeft in de laatste tien minuten een bevestigingsmail gekregen, of vandaag vijf. Probeer het over een minuut opnieuw.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} minutes.':
    'Het adres heeft in de laatste tien minuten een bevestigingsmail gekregen, of vandaag vijf. Probeer het over {count} minuten opnieuw.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} hours.':
    'Het adres heeft in de laatste tien minuten een bevestigingsmail gekregen, of vandaag vijf. Probeer het over {count} uur opnieuw.',
  'The list is in use by the email {name}.': 'De e-mail {name} gebruikt de lijst.',
  'The segment is in use by the campaign {name}.': 'De campagne {name} gebruikt het segment.',
  'The domain is in use by the sender identity {email}.': 'De afzender {email} gebruikt het domein.',
  'The sender identity is in use by the email {name}.': 'De e-mail {name} gebruikt de afzender.',
  'The sender identity is the only one, and the scheduled campaign {name} needs it. Add another first, or unschedule the campaign.':
    'Het is de enige afzender, en de geplande campagne {name} heeft hem nodig. Voeg eerst een andere toe, of hef de planning op.',
  'The email must keep {{verifyLink}}: it is used for the double opt-in of {name}.':
    'De e-mail moet {{verifyLink}} behouden: {name} bevestigt er nieuwe abonnees mee.',
  'The email is used for the double opt-in of {name}.': '{name} bevestigt met deze e-mail nieuwe abonnees.',
  'The project may have at most {limit} {records}. Delete some, or ask the operator to raise the limit.':
    'Het project mag er hoogstens {limit} hebben. Verwijder er enkele, of vraag de beheerder om meer.',
  'The {noun} is being used, changed or removed by another request. Please try again.':
    'Een ander verzoek gebruikt, wijzigt of verwijdert dit nu. Probeer het opnieuw.',
  'The campaign is being sent. Retry when it has ended.':
    'De campagne wordt nu verzonden. Probeer het als zij klaar is.',
  'Failed mails can be retried only after the sending of the campaign has ended.':
    'Mislukte mails kunnen pas worden herhaald als de campagne helemaal is verzonden.',
  'The campaign is stopped. Continue it first; then failed mails can be retried by reason.':
    'De campagne is gestopt. Ga er eerst mee verder; daarna kunnen mislukte mails per reden worden herhaald.',
  'This mail did not fail in the latest run of the campaign, so it is not sent again.':
    'Deze mail is in de laatste verzending van de campagne niet mislukt en wordt dus niet opnieuw verzonden.',
  'Only a campaign that is being sent can be stopped.': 'Alleen een campagne die wordt verzonden, kan worden gestopt.',
  'The campaign is just starting, stopping or ending. Please try again.':
    'De campagne begint, stopt of eindigt net. Probeer het opnieuw.',
  'Only a campaign that was stopped can be continued.': 'Alleen een gestopte campagne kan worden voortgezet.',
  'A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.':
    'Een campagne kan in de 5 minuten voor haar geplande tijd en tijdens het verzenden niet worden gewijzigd.',
  'The recipients of that campaign have been removed.': 'De ontvangers van die campagne zijn verwijderd.',
  'The campaign has just changed. Please try again.': 'De campagne is zojuist veranderd. Probeer het opnieuw.',
  'The campaign has not been sent yet.': 'De campagne is nog niet verzonden.',
  'Insufficient credits available': 'Het tegoed is niet voldoende',
  'Daily sandbox limit exceeded': 'De daglimiet van de sandbox is bereikt',
  'Monthly limit exceeded': 'De maandlimiet is bereikt',
  'Project Email AWS configurations not found. The email’s sender identity was deleted. Choose another.':
    'De afzender van de e-mail is verwijderd. Kies een andere.',
  'Project Email AWS configurations not found. No sender identity of the project has a verified domain. Check the DNS records.':
    'Geen afzender van het project heeft een geverifieerd domein. Controleer de DNS-records.',
  'test emails can be sent to private lists only': 'testmails kunnen alleen naar privélijsten worden verzonden',
  'The first line has {count} columns, and an import takes {most} at most. Is it a table of contacts?':
    'De eerste regel heeft {count} kolommen, en een import neemt er hoogstens {most}. Is het een tabel met contacten?',
  'The uploaded file was deleted.': 'Het geüploade bestand is verwijderd.',
  'The import was started or cancelled already.': 'De import is al gestart of geannuleerd.',
  'The project has {count} imports that are not done. Start, cancel or await one.':
    'Het project heeft {count} imports die niet klaar zijn. Start er een, annuleer die of wacht erop.',
  'The file is empty.': 'Het bestand is leeg.',
  'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.':
    'Het bestand is geen tekst, maar misschien een spreadsheet of een afbeelding. Open het in zijn programma, sla het op als CSV (UTF-8) en kies dat bestand.',
  'The import has ended already.': 'De import is al klaar.',
  'The list of failed rows is deleted after 30 days.': 'De lijst van mislukte rijen wordt na 30 dagen verwijderd.',
  'The file is larger than {most} bytes.': 'Het bestand is groter dan {most} bytes.',
  'A project that sends through its own cloud account has its domains there.':
    'Een project dat via zijn eigen cloudaccount verzendt, heeft daar zijn domeinen.',
  'The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.':
    'Het formulier heeft maar een van beide sleutels van de captcha: stel beide in, of geen.',
  'The form has no list to subscribe to.': 'Het formulier heeft geen lijst om op te abonneren.',
  'There is a person with this e-mail address already.': 'Er is al iemand met dit e-mailadres.',
  'An account must keep at least one owner. Make somebody else an owner first.':
    'Een account moet minstens één eigenaar houden. Maak eerst iemand anders eigenaar.',
  'An owner owns the whole account, not one project.': 'Een eigenaar bezit het hele account, niet één project.',
  'A team has at most {most} members.': 'Een team heeft hoogstens {most} leden.',
  'A second factor is set up already. Remove it first.': 'Een tweede factor is al ingesteld. Verwijder die eerst.',
  'You have a view of this name already.': 'U hebt al een weergave met deze naam.',
  'You have {most} views in this project already. Remove one.':
    'U hebt in dit project al {most} weergaven. Verwijder er een.',
  'A limit increase is pending already.': 'Een verhoging van de limiet is al aangevraagd.',
  'Production access needs a domain whose {records} records are verified: add one and check it first.':
    'Productietoegang vraagt een domein met geverifieerde records ({records}): voeg er eerst een toe en controleer het.',
  'This API key is in use already.': 'Deze API-sleutel is al in gebruik.',
  'No webhook is configured.': 'Er is geen webhook ingesteld.',
  "Mime type '{type}' not allowed! Allowed mime types are: {types}":
    'Alleen afbeeldingen in deze formaten kunnen worden geüpload: {types}',
})
