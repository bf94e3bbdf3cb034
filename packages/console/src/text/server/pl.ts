import { translatorOf } from './sentences.js'

export const sayServer = translatorOf({
  'must not be empty': 'nie może być puste',
  'expected at most {most} characters, got {got}': 'Dozwolone jest najwyżej {most} znaków; jest {got}',
  'expected at least {least} characters, got {got}': 'Potrzeba co najmniej {least} znaków; jest {got}',
  'expected at least {least} characters': 'Potrzeba co najmniej {least} znaków',
  'expected at most {most} characters': 'Dozwolone jest najwyżej {most} znaków',
  'expected at most {most} entries, got {got}': 'Dozwolone jest najwyżej {most} pozycji; jest {got}',
  'expected at least 1 entry, got 0': 'potrzebna jest co najmniej jedna pozycja',
  'expected at most {most}, got {got}': 'Dozwolone jest najwyżej {most}; jest {got}',
  'expected at least {least}, got {got}': 'Potrzeba co najmniej {least}; jest {got}',
  'expected more than {least}, got {got}': 'Potrzeba więcej niż {least}; jest {got}',
  'expected a whole number, got {got}': 'Oczekiwana jest liczba całkowita, jest {got}',
  'expected a whole number': 'Oczekiwana jest liczba całkowita',
  'expected a URL': 'Oczekiwany jest adres URL',
  'expected an http or https URL': 'Oczekiwany jest adres URL z http lub https',
  'Invalid email format': 'To nie jest prawidłowy adres e-mail',
  'Invalid emails format': 'To nie są prawidłowe adresy e-mail',
  'does not have the expected form': 'nie ma oczekiwanej postaci',
  'Missing required field: {field}': 'Brak wymaganego pola: {field}',
  'expected an ISO date': 'Oczekiwana jest data',
  'expected an ISO date or date-time': 'Oczekiwana jest data lub czas',
  'expected an ISO 8601 date and time': 'Oczekiwane są data i godzina',
  'expected an IANA time zone': 'Oczekiwana jest strefa czasowa, na przykład Europe/Warsaw',
  'must not contain line breaks': 'nie może zawierać podziałów wiersza',
  'must not contain control characters': 'nie może zawierać znaków sterujących',
  'must not contain ; { } < or >': 'nie może zawierać ; { } < ani >',
  'expected a URL on the public internet: this server posts nothing to its own machine or network':
    'oczekiwany adres URL w publicznym internecie: ten serwer nie wysyła niczego do własnej maszyny ani sieci',
  'must not carry a user name or password': 'nie może zawierać nazwy użytkownika ani hasła',
  'expected letters, digits and underscores, without spaces': 'Oczekiwane są litery, cyfry i podkreślenia bez spacji',
  'a field {name} exists already': 'pole {name} już istnieje',
  'Unknown tag: {name}': 'Tag {name} nie istnieje',
  'at most {most} for a contact': 'najwyżej {most} dla jednego kontaktu',
  'expected a color as #rrggbb': 'oczekiwany kolor, na przykład #0055aa',
  "expected a font stack such as 'Open Sans', Arial, sans-serif":
    "oczekiwane czcionki, na przykład 'Open Sans', Arial, sans-serif",
  'expected a domain name such as example.com': 'oczekiwana nazwa domeny, na przykład example.com',
  'expected a bare domain, without protocol or path': 'oczekiwana sama domena, bez protokołu i ścieżki',
  'expected a name below {domain}, such as {example}': 'oczekiwana nazwa poniżej {domain}, na przykład {example}',
  '{domain} is a domain of this project in {region} already': '{domain} jest już domeną tego projektu w {region}',
  'the domain {domain} is not verified in {region}; add it and its DNS records first':
    'domena {domain} nie jest zweryfikowana w {region}; najpierw dodaj ją i jej rekordy DNS',
  'another account has added the domain {domain}, or one above it; add it to this project and verify it by its DNS records first':
    'inne konto dodało domenę {domain} lub nadrzędną; najpierw dodaj ją do tego projektu i zweryfikuj jej rekordami DNS',
  '{email} is a sender identity in {region} already': '{email} jest już nadawcą w {region}',
  'the content of the email must include {{verifyLink}}': 'treść e-maila musi zawierać {{verifyLink}}',
  'an active double opt-in needs a transactional email': 'potwierdzenie e-mailem wymaga e-maila transakcyjnego',
  'too simple': 'zbyt proste',
  'expected at least one type of event': 'potrzebny jest co najmniej jeden rodzaj zdarzeń',
  'the campaign was last sent at {time}; to send it again, give a later time':
    'kampania została ostatnio wysłana o {time}; podaj późniejszy czas, aby wysłać ją ponownie',
  'the campaign has not been sent': 'kampania nie została wysłana',
  'not possible with a segment': 'niemożliwe z segmentem',
  'the campaign was sent to another list': 'kampania została wysłana na inną listę',
  'the file is UTF-8 except for {count} places, the first in line {line}. Choose an encoding.':
    'plik jest w UTF-8 poza {count} miejscami, pierwsze w wierszu {line}. Wybierz kodowanie.',
  'folders lie at most {most} deep in one another': 'foldery można zagnieżdżać najwyżej na {most} poziomach',
  'the {type} is not complete': 'obraz ({type}) jest niekompletny',
  'expected more than the current {limit}, or 0': 'oczekiwane więcej niż obecne {limit} albo 0',
  'the project sends by these credentials: give others': 'projekt wysyła z tymi danymi: podaj inne',
  'expected 20 to 200 visible ASCII characters': 'oczekiwane od 20 do 200 widocznych znaków ASCII',
  'expected 1 to 256 visible ASCII characters': 'oczekiwane od 1 do 256 widocznych znaków ASCII',
  'expected a region such as eu-west-1': 'oczekiwany region, na przykład eu-west-1',
  'expected the ARN of an IAM role': 'oczekiwany ARN roli IAM',
  'Email already exists.': 'Ten adres e-mail już istnieje.',
  'This tag exists already.': 'Ten tag już istnieje.',
  'This email is already in the suppression list.': 'Ten adres jest już zablokowany.',
  'The provided email is on the suppression list.': 'Ten adres jest zablokowany.',
  'The contact is not unverified on this list.': 'Subskrypcja tej listy nie czeka na potwierdzenie.',
  'Double opt-in is not enabled for this list.': 'Ta lista nie wymaga potwierdzenia e-mailem.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in a minute.':
    'Na ten adres wysłano e-mail z potwierdzeniem w ciągu ostatnich dziesięciu minut albo pięć dzisiaj. Spróbuj ponownie za minutę.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} minutes.':
    'Na ten adres wysłano e-mail z potwierdzeniem w ciągu ostatnich dziesięciu minut albo pięć dzisiaj. Spróbuj ponownie za {count} min.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} hours.':
    'Na ten adres wysłano e-mail z potwierdzeniem w ciągu ostatnich dziesięciu minut albo pięć dzisiaj. Spróbuj ponownie za {count} godz.',
  'The list is in use by the email {name}.': 'E-mail {name} używa tej listy.',
  'The segment is in use by the campaign {name}.': 'Kampania {name} używa tego segmentu.',
  'The domain is in use by the sender identity {email}.': 'Nadawca {email} używa tej domeny.',
  'The sender identity is in use by the email {name}.': 'E-mail {name} używa tego nadawcy.',
  'The sender identity is the only one, and the scheduled campaign {name} needs it. Add another first, or unschedule the campaign.':
    'To jedyny nadawca, a zaplanowana kampania {name} go potrzebuje. Najpierw dodaj innego albo anuluj planowanie.',
  'The email must keep {{verifyLink}}: it is used for the double opt-in of {name}.':
    'E-mail musi zachować {{verifyLink}}: {name} potwierdza nim nowych subskrybentów.',
  'The email is used for the double opt-in of {name}.': '{name} potwierdza tym e-mailem nowych subskrybentów.',
  'The project may have at most {limit} {records}. Delete some, or ask the operator to raise the limit.':
    'Projekt może mieć ich najwyżej {limit}. Usuń kilka albo poproś operatora o podniesienie limitu.',
  'The {noun} is being used, changed or removed by another request. Please try again.':
    'Inne żądanie właśnie tego używa, zmienia to lub usuwa. Spróbuj ponownie.',
  'The campaign is being sent. Retry when it has ended.': 'Kampania jest wysyłana. Spróbuj, gdy się zakończy.',
  'Failed mails can be retried only after the sending of the campaign has ended.':
    'Nieudane e-maile można powtórzyć dopiero po zakończeniu wysyłki kampanii.',
  'The campaign is stopped. Continue it first; then failed mails can be retried by reason.':
    'Kampania jest zatrzymana. Najpierw ją wznów; potem nieudane e-maile można powtórzyć według przyczyny.',
  'This mail did not fail in the latest run of the campaign, so it is not sent again.':
    'Ten e-mail nie zawiódł w ostatniej wysyłce kampanii, więc nie jest wysyłany ponownie.',
  'Only a campaign that is being sent can be stopped.': 'Zatrzymać można tylko kampanię, która jest wysyłana.',
  'The campaign is just starting, stopping or ending. Please try again.':
    'Kampania właśnie się zaczyna, zatrzymuje lub kończy. Spróbuj ponownie.',
  'Only a campaign that was stopped can be continued.': 'Wznowić można tylko zatrzymaną kampanię.',
  'A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.':
    'Kampanii nie można zmienić w ciągu 5 minut przed zaplanowanym czasem ani w trakcie wysyłki.',
  'The recipients of that campaign have been removed.': 'Odbiorcy tej kampanii zostali usunięci.',
  'The campaign has just changed. Please try again.': 'Kampania właśnie się zmieniła. Spróbuj ponownie.',
  'The campaign has not been sent yet.': 'Kampania nie została jeszcze wysłana.',
  'Insufficient credits available': 'Środki nie wystarczają',
  'Daily sandbox limit exceeded': 'Osiągnięto dzienny limit piaskownicy',
  'Monthly limit exceeded': 'Osiągnięto limit miesięczny',
  'Project Email AWS configurations not found. The email’s sender identity was deleted. Choose another.':
    'Nadawca e-maila został usunięty. Wybierz innego.',
  'Project Email AWS configurations not found. No sender identity of the project has a verified domain. Check the DNS records.':
    'Żaden nadawca projektu nie ma zweryfikowanej domeny. Sprawdź rekordy DNS.',
  'test emails can be sent to private lists only': 'e-maile testowe można wysyłać tylko na listy prywatne',
  'The first line has {count} columns, and an import takes {most} at most. Is it a table of contacts?':
    'Pierwszy wiersz ma {count} kolumn, a import przyjmuje najwyżej {most}. Czy to tabela kontaktów?',
  'The uploaded file was deleted.': 'Przesłany plik został usunięty.',
  'The import was started or cancelled already.': 'Import został już rozpoczęty lub anulowany.',
  'The project has {count} imports that are not done. Start, cancel or await one.':
    'Projekt ma {count} niezakończonych importów. Rozpocznij któryś, anuluj go albo na niego poczekaj.',
  'The file is empty.': 'Plik jest pusty.',
  'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.':
    'Plik nie jest tekstem: może to arkusz kalkulacyjny lub obraz. Otwórz go w jego programie, zapisz jako CSV (UTF-8) i wybierz tamten plik.',
  'The import has ended already.': 'Import już się zakończył.',
  'The list of failed rows is deleted after 30 days.': 'Lista błędnych wierszy jest usuwana po 30 dniach.',
  'The file is larger than {most} bytes.': 'Plik ma ponad {most} bajtów.',
  'A project that sends through its own cloud account has its domains there.':
    'Projekt, który wysyła przez własne konto w chmurze, ma tam swoje domeny.',
  'The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.':
    'Formularz ma tylko jeden z dwóch kluczy captcha: ustaw oba albo żaden.',
  'The form has no list to subscribe to.': 'Formularz nie ma listy do subskrypcji.',
  'There is a person with this e-mail address already.': 'Jest już osoba z tym adresem e-mail.',
  'An account must keep at least one owner. Make somebody else an owner first.':
    'Konto musi mieć co najmniej jednego właściciela. Najpierw wyznacz innego.',
  'An owner owns the whole account, not one project.': 'Właściciel ma całe konto, a nie jeden projekt.',
  'A team has at most {most} members.': 'Zespół ma najwyżej {most} członków.',
  'A second factor is set up already. Remove it first.': 'Drugi składnik jest już ustawiony. Najpierw go usuń.',
  'You have a view of this name already.': 'Masz już widok o tej nazwie.',
  'You have {most} views in this project already. Remove one.': 'Masz już {most} widoków w tym projekcie. Usuń jeden.',
  'A limit increase is pending already.': 'Podniesienie limitu już czeka na decyzję.',
  'Production access needs a domain whose {records} records are verified: add one and check it first.':
    'Dostęp produkcyjny wymaga domeny ze zweryfikowanymi rekordami {records}: najpierw ją dodaj i sprawdź.',
  'This API key is in use already.': 'Ten klucz API jest już używany.',
  'No webhook is configured.': 'Nie ustawiono webhooka.',
  "Mime type '{type}' not allowed! Allowed mime types are: {types}":
    'Można przesyłać tylko obrazy w tych formatach: {types}',
})
