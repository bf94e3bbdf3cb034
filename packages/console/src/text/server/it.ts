import { translatorOf } from './sentences.js'

export const sayServer = translatorOf({
  'must not be empty': 'non può essere vuoto',
  'expected at most {most} characters, got {got}': 'Sono ammessi al massimo {most} caratteri; sono {got}',
  'expected at least {least} characters, got {got}': 'Servono almeno {least} caratteri; sono {got}',
  'expected at least {least} characters': 'Servono almeno {least} caratteri',
  'expected at most {most} characters': 'Sono ammessi al massimo {most} caratteri',
  'expected at most {most} entries, got {got}': 'Sono ammessi al massimo {most} voci; sono {got}',
  'expected at least 1 entry, got 0': 'serve almeno una voce',
  'expected at most {most}, got {got}': 'Il massimo è {most}; è {got}',
  'expected at least {least}, got {got}': 'Il minimo è {least}; è {got}',
  'expected more than {least}, got {got}': 'Serve più di {least}; è {got}',
  'expected a whole number, got {got}': 'è atteso un numero intero, è {got}',
  'expected a whole number': 'è atteso un numero intero',
  'expected a URL': 'è attesa una URL',
  'expected an http or https URL': 'è attesa una URL con http o https',
  'Invalid email format': 'Non è un indirizzo e-mail valido',
  'Invalid emails format': 'Non sono indirizzi e-mail validi',
  'does not have the expected form': 'non ha la forma attesa',
  'Missing required field: {field}': 'Manca un campo obbligatorio: {field}',
  'expected an ISO date': 'è attesa una data',
  'expected an ISO date or date-time': 'è attesa una data o un istante',
  'expected an ISO 8601 date and time': 'sono attese data e ora',
  'expected an IANA time zone': 'è atteso un fuso orario come Europe/Rome',
  'must not contain line breaks': 'non può contenere interruzioni di riga',
  'must not contain control characters': 'non può contenere caratteri di controllo',
  'must not contain ; { } < or >': 'non può contenere ; { } < né >',
  'expected a URL on the public internet: this server posts nothing to its own machine or network':
    'è atteso un URL dell’internet pubblica: questo server non invia nulla alla propria macchina o alla propria rete',
  'must not carry a user name or password': 'non può contenere nome utente o password',
  'expected letters, digits and underscores, without spaces': 'sono attesi lettere, cifre e trattini bassi senza spazi',
  'a field {name} exists already': 'esiste già un campo {name}',
  'Unknown tag: {name}': 'Il tag {name} non esiste',
  'at most {most} for a contact': 'al massimo {most} per un contatto',
  'expected a color as #rrggbb': 'è atteso un colore come #0055aa',
  "expected a font stack such as 'Open Sans', Arial, sans-serif":
    "sono attesi caratteri come 'Open Sans', Arial, sans-serif",
  'expected a domain name such as example.com': 'è atteso un nome di dominio come example.com',
  'expected a bare domain, without protocol or path': 'è atteso solo un dominio, senza protocollo né percorso',
  'expected a name below {domain}, such as {example}': 'è atteso un nome sotto {domain}, per esempio {example}',
  '{domain} is a domain of this project in {region} already':
    '{domain} è già un dominio di questo progetto in {region}',
  'the domain {domain} is not verified in {region}; add it and its DNS records first':
    'il dominio {domain} non è verificato in {region}; aggiungerlo prima con i suoi record DNS',
  'another account has added the domain {domain}, or one above it; add it to this project and verify it by its DNS records first':
    'un altro account ha aggiunto il dominio {domain} o uno superiore; aggiungerlo prima a questo progetto e verificarlo con i suoi record DNS',
  '{email} is a sender identity in {region} already': '{email} è già un mittente in {region}',
  'the content of the email must include {{verifyLink}}': 'il contenuto dell’e-mail deve contenere {{verifyLink}}',
  'an active double opt-in needs a transactional email': 'la conferma via e-mail ha bisogno di un’e-mail transazionale',
  'too simple': 'troppo semplice',
  'expected at least one type of event': 'serve almeno un tipo di evento',
  'the campaign was last sent at {time}; to send it again, give a later time':
    'la campagna è stata inviata l’ultima volta alle {time}; indicare un’ora successiva per inviarla di nuovo',
  'the campaign has not been sent': 'la campagna non è stata inviata',
  'not possible with a segment': 'non è possibile con un segmento',
  'the campaign was sent to another list': 'la campagna è stata inviata a un’altra lista',
  'the file is UTF-8 except for {count} places, the first in line {line}. Choose an encoding.':
    'il file è UTF-8 tranne in {count} punti, il primo alla riga {line}. Scegliere una codifica.',
  'folders lie at most {most} deep in one another': 'le cartelle si annidano al massimo per {most} livelli',
  'the {type} is not complete': 'l’immagine ({type}) non è completa',
  'expected more than the current {limit}, or 0': 'sono attesi più degli attuali {limit}, o 0',
  'the project sends by these credentials: give others': 'il progetto invia con queste credenziali: indicarne altre',
  'expected 20 to 200 visible ASCII characters': 'sono attesi da 20 a 200 caratteri ASCII visibili',
  'expected 1 to 256 visible ASCII characters': 'sono attesi da 1 a 256 caratteri ASCII visibili',
  'expected a region such as eu-west-1': 'è attesa una regione come eu-west-1',
  'expected the ARN of an IAM role': 'è atteso l’ARN di un ruolo IAM',
  'Email already exists.': 'Questo indirizzo e-mail esiste già.',
  'This tag exists already.': 'Questo tag esiste già.',
  'This email is already in the suppression list.': 'Questo indirizzo è già tra le soppressioni.',
  'The provided email is on the suppression list.': 'Questo indirizzo è tra le soppressioni.',
  'The contact is not unverified on this list.': 'L’iscrizione a questa lista non attende conferma.',
  'Double opt-in is not enabled for this list.': 'Questa lista non chiede conferma via e-mail.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in a minute.':
    'L’indirizzo ha ricevuto un’e-mail di conferma negli ultimi dieci minuti, o cinque oggi. Riprovi tra un minuto.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} minutes.':
    'L’indirizzo ha ricevuto un’e-mail di conferma negli ultimi dieci minuti, o cinque oggi. Riprovi tra {count} minuti.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} hours.':
    'L’indirizzo ha ricevuto un’e-mail di conferma negli ultimi dieci minuti, o cinque oggi. Riprovi tra {count} ore.',
  'The list is in use by the email {name}.': 'L’e-mail {name} usa la lista.',
  'The segment is in use by the campaign {name}.': 'La campagna {name} usa il segmento.',
  'The domain is in use by the sender identity {email}.': 'Il mittente {email} usa il dominio.',
  'The sender identity is in use by the email {name}.': 'L’e-mail {name} usa il mittente.',
  'The sender identity is the only one, and the scheduled campaign {name} needs it. Add another first, or unschedule the campaign.':
    'È l’unico mittente, e la campagna programmata {name} ne ha bisogno. Aggiungerne prima un altro, o annullare la programmazione.',
  'The email must keep {{verifyLink}}: it is used for the double opt-in of {name}.':
    'L’e-mail deve mantenere {{verifyLink}}: {name} la usa per confermare i nuovi iscritti.',
  'The email is used for the double opt-in of {name}.': '{name} usa questa e-mail per confermare i nuovi iscritti.',
  'The project may have at most {limit} {records}. Delete some, or ask the operator to raise the limit.':
    'Il progetto può averne al massimo {limit}. Eliminarne alcuni, o chiedere all’operatore di alzare il limite.',
  'The {noun} is being used, changed or removed by another request. Please try again.':
    'Un’altra richiesta lo sta usando, modificando o eliminando. Riprovi.',
  'The campaign is being sent. Retry when it has ended.':
    'La campagna è in corso di invio. Riprovi quando sarà terminata.',
  'Failed mails can be retried only after the sending of the campaign has ended.':
    'Le e-mail fallite si possono ripetere solo al termine dell’invio della campagna.',
  'The campaign is stopped. Continue it first; then failed mails can be retried by reason.':
    'La campagna è interrotta. Riprenderla prima; poi le e-mail fallite si possono ripetere per motivo.',
  'This mail did not fail in the latest run of the campaign, so it is not sent again.':
    'Questa e-mail non è fallita nell’ultimo invio della campagna, perciò non viene inviata di nuovo.',
  'Only a campaign that is being sent can be stopped.': 'Si può interrompere solo una campagna in corso di invio.',
  'The campaign is just starting, stopping or ending. Please try again.':
    'La campagna sta iniziando, fermandosi o finendo. Riprovi.',
  'Only a campaign that was stopped can be continued.': 'Si può riprendere solo una campagna interrotta.',
  'A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.':
    'Una campagna non si può modificare nei 5 minuti prima dell’ora prevista né durante l’invio.',
  'The recipients of that campaign have been removed.': 'I destinatari di quella campagna sono stati rimossi.',
  'The campaign has just changed. Please try again.': 'La campagna è appena cambiata. Riprovi.',
  'The campaign has not been sent yet.': 'La campagna non è ancora stata inviata.',
  'Insufficient credits available': 'Il credito non basta',
  'Daily sandbox limit exceeded': 'Il limite giornaliero della sandbox è raggiunto',
  'Monthly limit exceeded': 'Il limite mensile è raggiunto',
  'Project Email AWS configurations not found. The email’s sender identity was deleted. Choose another.':
    'Il mittente dell’e-mail è stato eliminato. Sceglierne un altro.',
  'Project Email AWS configurations not found. No sender identity of the project has a verified domain. Check the DNS records.':
    'Nessun mittente del progetto ha un dominio verificato. Controllare i record DNS.',
  'test emails can be sent to private lists only': 'le e-mail di prova si possono inviare solo a liste private',
  'The first line has {count} columns, and an import takes {most} at most. Is it a table of contacts?':
    'La prima riga ha {count} colonne, e un’importazione ne accetta al massimo {most}. È una tabella di contatti?',
  'The uploaded file was deleted.': 'Il file caricato è stato eliminato.',
  'The import was started or cancelled already.': 'L’importazione è già stata avviata o annullata.',
  'The project has {count} imports that are not done. Start, cancel or await one.':
    'Il progetto ha {count} importazioni non concluse. Avviarne una, annullarla o attenderla.',
  'The file is empty.': 'Il file è vuoto.',
  'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.':
    'Il file non è testo: può essere un foglio di calcolo o un’immagine. Lo apra nel suo programma, lo salvi come CSV (UTF-8) e scelga quel file.',
  'The import has ended already.': 'L’importazione è già terminata.',
  'The list of failed rows is deleted after 30 days.': 'L’elenco delle righe con errori è eliminato dopo 30 giorni.',
  'The file is larger than {most} bytes.': 'Il file supera {most} byte.',
  'A project that sends through its own cloud account has its domains there.':
    'Un progetto che invia con il proprio account cloud ha lì i suoi domini.',
  'The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.':
    'Il modulo ha solo una delle due chiavi del captcha: impostarle entrambe o nessuna.',
  'The form has no list to subscribe to.': 'Il modulo non ha una lista a cui iscriversi.',
  'There is a person with this e-mail address already.': 'C’è già una persona con questo indirizzo e-mail.',
  'An account must keep at least one owner. Make somebody else an owner first.':
    'Un account deve mantenere almeno un proprietario. Nominarne prima un altro.',
  'An owner owns the whole account, not one project.': 'Un proprietario possiede l’intero account, non un progetto.',
  'A team has at most {most} members.': 'Un team ha al massimo {most} membri.',
  'A second factor is set up already. Remove it first.': 'Un secondo fattore è già impostato. Rimuoverlo prima.',
  'You have a view of this name already.': 'Ha già una vista con questo nome.',
  'You have {most} views in this project already. Remove one.':
    'Ha già {most} viste in questo progetto. Ne rimuova una.',
  'A limit increase is pending already.': 'Un aumento del limite è già in attesa.',
  'Production access needs a domain whose {records} records are verified: add one and check it first.':
    'L’accesso alla produzione richiede un dominio con i record {records} verificati: aggiungerne uno e controllarlo prima.',
  'This API key is in use already.': 'Questa chiave API è già in uso.',
  'No webhook is configured.': 'Nessun webhook è configurato.',
  "Mime type '{type}' not allowed! Allowed mime types are: {types}":
    'Si possono caricare solo immagini di questi formati: {types}',
})
