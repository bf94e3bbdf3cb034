import { translatorOf } from './sentences.js'

export const sayServer = translatorOf({
  'must not be empty': 'Das Feld darf nicht leer sein',
  'expected at most {most} characters, got {got}': 'Höchstens {most} Zeichen sind erlaubt; es sind {got}',
  'expected at least {least} characters, got {got}': 'Mindestens {least} Zeichen sind nötig; es sind {got}',
  'expected at least {least} characters': 'Mindestens {least} Zeichen sind nötig',
  'expected at most {most} characters': 'Höchstens {most} Zeichen sind erlaubt',
  'expected at most {most} entries, got {got}': 'Höchstens {most} Einträge sind erlaubt; es sind {got}',
  'expected at least 1 entry, got 0': 'mindestens ein Eintrag ist nötig',
  'expected at most {most}, got {got}': 'Erlaubt ist höchstens {most}; es ist {got}',
  'expected at least {least}, got {got}': 'Nötig ist mindestens {least}; es ist {got}',
  'expected more than {least}, got {got}': 'Nötig ist mehr als {least}; es ist {got}',
  'expected a whole number, got {got}': 'eine ganze Zahl wird erwartet, es ist {got}',
  'expected a whole number': 'eine ganze Zahl wird erwartet',
  'expected a URL': 'eine URL wird erwartet',
  'expected an http or https URL': 'eine URL mit http oder https wird erwartet',
  'Invalid email format': 'Das ist keine gültige E-Mail-Adresse',
  'Invalid emails format': 'Das sind keine gültigen E-Mail-Adressen',
  'does not have the expected form': 'Der Wert hat nicht die erwartete Form',
  'Missing required field: {field}': 'Das Feld {field} muss ausgefüllt sein',
  'expected an ISO date': 'ein Datum wird erwartet',
  'expected an ISO date or date-time': 'ein Datum oder ein Zeitpunkt wird erwartet',
  'expected an ISO 8601 date and time': 'ein Zeitpunkt wird erwartet',
  'expected an IANA time zone': 'eine Zeitzone wie Europe/Berlin wird erwartet',
  'must not contain line breaks': 'Das Feld darf keine Zeilenumbrüche enthalten',
  'must not contain control characters': 'Das Feld darf keine Steuerzeichen enthalten',
  'must not contain ; { } < or >': 'Das Feld darf weder ; { } < noch > enthalten',
  'expected a URL on the public internet: this server posts nothing to its own machine or network':
    'eine URL im öffentlichen Internet wird erwartet: dieser Server schickt nichts an den eigenen Rechner oder sein Netz',
  'must not carry a user name or password': 'Das Feld darf weder Benutzernamen noch Passwort enthalten',
  'expected letters, digits and underscores, without spaces':
    'Buchstaben, Ziffern und Unterstriche ohne Leerzeichen werden erwartet',
  'a field {name} exists already': 'ein Feld {name} gibt es schon',
  'Unknown tag: {name}': 'Den Tag {name} gibt es nicht',
  'at most {most} for a contact': 'Ein Kontakt hat höchstens {most} davon',
  'expected a color as #rrggbb': 'eine Farbe wie #0055aa wird erwartet',
  "expected a font stack such as 'Open Sans', Arial, sans-serif":
    "Schriften wie 'Open Sans', Arial, sans-serif werden erwartet",
  'expected a domain name such as example.com': 'ein Domainname wie example.com wird erwartet',
  'expected a bare domain, without protocol or path': 'nur eine Domain wird erwartet, ohne Protokoll und Pfad',
  'expected a name below {domain}, such as {example}': 'ein Name unterhalb von {domain} wird erwartet, etwa {example}',
  '{domain} is a domain of this project in {region} already':
    '{domain} ist in {region} schon eine Domain dieses Projekts',
  'the domain {domain} is not verified in {region}; add it and its DNS records first':
    'die Domain {domain} ist in {region} nicht bestätigt; fügen Sie zuerst sie und ihre DNS-Einträge hinzu',
  'another account has added the domain {domain}, or one above it; add it to this project and verify it by its DNS records first':
    'ein anderes Konto hat die Domain {domain} oder eine darüber hinzugefügt; fügen Sie sie zuerst diesem Projekt hinzu und bestätigen Sie sie durch ihre DNS-Einträge',
  '{email} is a sender identity in {region} already': '{email} ist in {region} schon ein Absender',
  'the content of the email must include {{verifyLink}}': 'der Inhalt der E-Mail muss {{verifyLink}} enthalten',
  'an active double opt-in needs a transactional email':
    'die Bestätigung per E-Mail braucht eine transaktionale E-Mail',
  'too simple': 'Das ist zu einfach',
  'expected at least one type of event': 'mindestens eine Art von Ereignissen ist nötig',
  'the campaign was last sent at {time}; to send it again, give a later time':
    'die Kampagne wurde zuletzt um {time} gesendet; nennen Sie eine spätere Zeit, um sie noch einmal zu senden',
  'the campaign has not been sent': 'die Kampagne wurde nicht gesendet',
  'not possible with a segment': 'Das ist mit einem Segment nicht möglich',
  'the campaign was sent to another list': 'die Kampagne wurde an eine andere Liste gesendet',
  'the file is UTF-8 except for {count} places, the first in line {line}. Choose an encoding.':
    'die Datei ist bis auf {count} Stellen UTF-8, die erste in Zeile {line}. Wählen Sie eine Kodierung.',
  'folders lie at most {most} deep in one another': 'Ordner liegen höchstens {most} tief ineinander',
  'the {type} is not complete': 'das Bild ({type}) ist nicht vollständig',
  'expected more than the current {limit}, or 0': 'mehr als die jetzigen {limit} werden erwartet, oder 0',
  'the project sends by these credentials: give others':
    'das Projekt sendet mit diesen Zugangsdaten: Geben Sie andere an',
  'expected 20 to 200 visible ASCII characters': '20 bis 200 sichtbare ASCII-Zeichen werden erwartet',
  'expected 1 to 256 visible ASCII characters': '1 bis 256 sichtbare ASCII-Zeichen werden erwartet',
  'expected a region such as eu-west-1': 'eine Region wie eu-west-1 wird erwartet',
  'expected the ARN of an IAM role': 'die ARN einer IAM-Rolle wird erwartet',
  'Email already exists.': 'Diese E-Mail-Adresse gibt es schon.',
  'This tag exists already.': 'Diesen Tag gibt es schon.',
  'This email is already in the suppression list.': 'Diese Adresse ist schon gesperrt.',
  'The provided email is on the suppression list.': 'Diese Adresse ist gesperrt.',
  'The contact is not unverified on this list.': 'Die Mitgliedschaft auf dieser Liste wartet auf keine Bestätigung.',
  'Double opt-in is not enabled for this list.': 'Diese Liste verlangt keine Bestätigung per E-Mail.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in a minute.':
    'Die Adresse hat in den letzten zehn Minuten eine Bestätigungsmail bekommen, oder heute fünf. Versuchen Sie es in einer Minute erneut.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} minutes.':
    'Die Adresse hat in den letzten zehn Minuten eine Bestätigungsmail bekommen, oder heute fünf. Versuchen Sie es in {count} Minuten erneut.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} hours.':
    'Die Adresse hat in den letzten zehn Minuten eine Bestätigungsmail bekommen, oder heute fünf. Versuchen Sie es in {count} Stunden erneut.',
  'The list is in use by the email {name}.': 'Die E-Mail {name} verwendet die Liste.',
  'The segment is in use by the campaign {name}.': 'Die Kampagne {name} verwendet das Segment.',
  'The domain is in use by the sender identity {email}.': 'Der Absender {email} verwendet die Domain.',
  'The sender identity is in use by the email {name}.': 'Die E-Mail {name} verwendet den Absender.',
  'The sender identity is the only one, and the scheduled campaign {name} needs it. Add another first, or unschedule the campaign.':
    'Es ist der einzige Absender, und die geplante Kampagne {name} braucht ihn. Fügen Sie zuerst einen anderen hinzu, oder nehmen Sie die Planung zurück.',
  'The email must keep {{verifyLink}}: it is used for the double opt-in of {name}.':
    'Die E-Mail muss {{verifyLink}} behalten: {name} bestätigt damit neue Abonnenten.',
  'The email is used for the double opt-in of {name}.': '{name} bestätigt mit dieser E-Mail neue Abonnenten.',
  'The project may have at most {limit} {records}. Delete some, or ask the operator to raise the limit.':
    'Das Projekt darf davon höchstens {limit} haben. Löschen Sie einige, oder bitten Sie den Betreiber um mehr.',
  'The {noun} is being used, changed or removed by another request. Please try again.':
    'Eine andere Anfrage verwendet, ändert oder entfernt das gerade. Versuchen Sie es erneut.',
  'The campaign is being sent. Retry when it has ended.':
    'Die Kampagne wird gerade gesendet. Wiederholen Sie es, wenn sie beendet ist.',
  'Failed mails can be retried only after the sending of the campaign has ended.':
    'Fehlgeschlagene Mails können erst wiederholt werden, wenn die Kampagne zu Ende gesendet ist.',
  'The campaign is stopped. Continue it first; then failed mails can be retried by reason.':
    'Die Kampagne ist gestoppt. Setzen Sie sie zuerst fort; dann können fehlgeschlagene Mails nach Grund wiederholt werden.',
  'This mail did not fail in the latest run of the campaign, so it is not sent again.':
    'Diese Mail ist im letzten Lauf der Kampagne nicht fehlgeschlagen und wird deshalb nicht noch einmal gesendet.',
  'Only a campaign that is being sent can be stopped.':
    'Nur eine Kampagne, die gerade gesendet wird, kann gestoppt werden.',
  'The campaign is just starting, stopping or ending. Please try again.':
    'Die Kampagne beginnt, stoppt oder endet gerade. Versuchen Sie es erneut.',
  'Only a campaign that was stopped can be continued.': 'Nur eine gestoppte Kampagne kann fortgesetzt werden.',
  'A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.':
    'Eine Kampagne kann in den 5 Minuten vor ihrer geplanten Zeit und während des Sendens nicht geändert werden.',
  'The recipients of that campaign have been removed.': 'Die Empfänger dieser Kampagne wurden entfernt.',
  'The campaign has just changed. Please try again.': 'Die Kampagne hat sich gerade geändert. Versuchen Sie es erneut.',
  'The campaign has not been sent yet.': 'Die Kampagne wurde noch nicht gesendet.',
  'Insufficient credits available': 'Das Guthaben reicht nicht aus',
  'Daily sandbox limit exceeded': 'Das Tageslimit der Sandbox ist erreicht',
  'Monthly limit exceeded': 'Das Monatslimit ist erreicht',
  'Project Email AWS configurations not found. The email’s sender identity was deleted. Choose another.':
    'Der Absender der E-Mail wurde gelöscht. Wählen Sie einen anderen.',
  'Project Email AWS configurations not found. No sender identity of the project has a verified domain. Check the DNS records.':
    'Kein Absender des Projekts hat eine bestätigte Domain. Prüfen Sie die DNS-Einträge.',
  'test emails can be sent to private lists only': 'Test-Mails können nur an private Listen gesendet werden',
  'The first line has {count} columns, and an import takes {most} at most. Is it a table of contacts?':
    'Die erste Zeile hat {count} Spalten, ein Import höchstens {most}. Ist es eine Tabelle von Kontakten?',
  'The uploaded file was deleted.': 'Die hochgeladene Datei wurde gelöscht.',
  'The import was started or cancelled already.': 'Der Import wurde schon gestartet oder abgebrochen.',
  'The project has {count} imports that are not done. Start, cancel or await one.':
    'Das Projekt hat {count} Importe, die nicht fertig sind. Starten Sie einen, brechen Sie ihn ab, oder warten Sie auf ihn.',
  'The file is empty.': 'Die Datei ist leer.',
  'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.':
    'Die Datei ist kein Text, sondern vielleicht eine Tabelle oder ein Bild. Öffnen Sie sie in ihrem Programm, speichern Sie sie als CSV (UTF-8) und wählen Sie jene Datei.',
  'The import has ended already.': 'Der Import ist schon beendet.',
  'The list of failed rows is deleted after 30 days.': 'Die Liste der fehlerhaften Zeilen wird nach 30 Tagen gelöscht.',
  'The file is larger than {most} bytes.': 'Die Datei ist größer als {most} Byte.',
  'A project that sends through its own cloud account has its domains there.':
    'Ein Projekt, das über sein eigenes Cloud-Konto sendet, hat dort auch seine Domains.',
  'The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.':
    'Das Formular hat nur einen der beiden Schlüssel des Captchas: Setzen Sie beide oder keinen.',
  'The form has no list to subscribe to.': 'Das Formular hat keine Liste zum Abonnieren.',
  'There is a person with this e-mail address already.': 'Es gibt schon eine Person mit dieser E-Mail-Adresse.',
  'An account must keep at least one owner. Make somebody else an owner first.':
    'Ein Konto braucht mindestens einen Eigentümer. Machen Sie zuerst jemand anderen dazu.',
  'An owner owns the whole account, not one project.': 'Ein Eigentümer besitzt das ganze Konto, nicht ein Projekt.',
  'A team has at most {most} members.': 'Ein Team hat höchstens {most} Mitglieder.',
  'A second factor is set up already. Remove it first.':
    'Ein zweiter Faktor ist schon eingerichtet. Entfernen Sie ihn zuerst.',
  'You have a view of this name already.': 'Sie haben schon eine Ansicht mit diesem Namen.',
  'You have {most} views in this project already. Remove one.':
    'Sie haben in diesem Projekt schon {most} Ansichten. Entfernen Sie eine.',
  'A limit increase is pending already.': 'Eine Erhöhung des Limits ist schon beantragt.',
  'Production access needs a domain whose {records} records are verified: add one and check it first.':
    'Der Produktionszugang braucht eine Domain mit bestätigten Einträgen ({records}): Fügen Sie zuerst eine hinzu, und prüfen Sie sie.',
  'This API key is in use already.': 'Dieser API-Schlüssel wird schon verwendet.',
  'No webhook is configured.': 'Es ist kein Webhook eingerichtet.',
  "Mime type '{type}' not allowed! Allowed mime types are: {types}":
    'Nur Bilder dieser Formate können hochgeladen werden: {types}',
})
