import { translatorOf } from './sentences.js'

export const sayServer = translatorOf({
  'must not be empty': 'Ce champ ne doit pas être vide',
  'expected at most {most} characters, got {got}': 'Au plus {most} caractères sont permis ; il y en a {got}',
  'expected at least {least} characters, got {got}': 'Il faut au moins {least} caractères ; il y en a {got}',
  'expected at least {least} characters': 'Il faut au moins {least} caractères',
  'expected at most {most} characters': 'Au plus {most} caractères sont permis',
  'expected at most {most} entries, got {got}': 'Au plus {most} entrées sont permis ; il y en a {got}',
  'expected at least 1 entry, got 0': 'au moins une entrée est nécessaire',
  'expected at most {most}, got {got}': 'Le maximum est {most} ; c’est {got}',
  'expected at least {least}, got {got}': 'Le minimum est {least} ; c’est {got}',
  'expected more than {least}, got {got}': 'Il faut plus de {least} ; c’est {got}',
  'expected a whole number, got {got}': 'un nombre entier est attendu, c’est {got}',
  'expected a whole number': 'un nombre entier est attendu',
  'expected a URL': 'une URL est attendue',
  'expected an http or https URL': 'une URL en http ou https est attendue',
  'Invalid email format': 'Ce n’est pas une adresse e-mail valide',
  'Invalid emails format': 'Ce ne sont pas des adresses e-mail valides',
  'does not have the expected form': 'La valeur n’a pas la forme attendue',
  'Missing required field: {field}': 'Champ obligatoire manquant : {field}',
  'expected an ISO date': 'une date est attendue',
  'expected an ISO date or date-time': 'une date ou un instant est attendu',
  'expected an ISO 8601 date and time': 'une date et une heure sont attendues',
  'expected an IANA time zone': 'un fuseau horaire comme Europe/Paris est attendu',
  'must not contain line breaks': 'Ce champ ne doit pas contenir de saut de ligne',
  'must not contain control characters': 'Ce champ ne doit pas contenir de caractères de contrôle',
  'must not contain ; { } < or >': 'Ce champ ne doit contenir ni ; { } < ni >',
  'expected a URL on the public internet: this server posts nothing to its own machine or network':
    'une URL de l’internet public est attendue : ce serveur n’envoie rien à sa propre machine ni à son réseau',
  'must not carry a user name or password': 'Ce champ ne doit contenir ni nom d’utilisateur ni mot de passe',
  'expected letters, digits and underscores, without spaces':
    'des lettres, chiffres et tirets bas sans espaces sont attendus',
  'a field {name} exists already': 'un champ {name} existe déjà',
  'Unknown tag: {name}': 'L’étiquette {name} n’existe pas',
  'at most {most} for a contact': '{most} au plus pour un contact',
  'expected a color as #rrggbb': 'une couleur comme #0055aa est attendue',
  "expected a font stack such as 'Open Sans', Arial, sans-serif":
    "des polices comme 'Open Sans', Arial, sans-serif sont attendues",
  'expected a domain name such as example.com': 'un nom de domaine comme example.com est attendu',
  'expected a bare domain, without protocol or path': 'un domaine seul est attendu, sans protocole ni chemin',
  'expected a name below {domain}, such as {example}': 'un nom sous {domain} est attendu, par exemple {example}',
  '{domain} is a domain of this project in {region} already': '{domain} est déjà un domaine de ce projet en {region}',
  'the domain {domain} is not verified in {region}; add it and its DNS records first':
    'le domaine {domain} n’est pas vérifié en {region} ; ajoutez-le d’abord avec ses enregistrements DNS',
  'another account has added the domain {domain}, or one above it; add it to this project and verify it by its DNS records first':
    'un autre compte a ajouté le domaine {domain} ou un domaine parent ; ajoutez-le d’abord à ce projet et vérifiez-le par ses enregistrements DNS',
  '{email} is a sender identity in {region} already': '{email} est déjà un expéditeur en {region}',
  'the content of the email must include {{verifyLink}}': 'le contenu de l’e-mail doit contenir {{verifyLink}}',
  'an active double opt-in needs a transactional email':
    'la confirmation par e-mail a besoin d’un e-mail transactionnel',
  'too simple': 'trop simple',
  'expected at least one type of event': 'au moins un type d’événement est nécessaire',
  'the campaign was last sent at {time}; to send it again, give a later time':
    'la campagne a été envoyée en dernier à {time} ; donnez une heure ultérieure pour la renvoyer',
  'the campaign has not been sent': 'la campagne n’a pas été envoyée',
  'not possible with a segment': 'impossible avec un segment',
  'the campaign was sent to another list': 'la campagne a été envoyée à une autre liste',
  'the file is UTF-8 except for {count} places, the first in line {line}. Choose an encoding.':
    'le fichier est en UTF-8 sauf à {count} endroits, le premier à la ligne {line}. Choisissez un encodage.',
  'folders lie at most {most} deep in one another': 'les dossiers s’imbriquent sur {most} niveaux au plus',
  'the {type} is not complete': 'l’image ({type}) n’est pas complète',
  'expected more than the current {limit}, or 0': 'plus que les {limit} actuels sont attendus, ou 0',
  'the project sends by these credentials: give others': 'le projet envoie avec ces identifiants : donnez-en d’autres',
  'expected 20 to 200 visible ASCII characters': '20 à 200 caractères ASCII visibles sont attendus',
  'expected 1 to 256 visible ASCII characters': '1 à 256 caractères ASCII visibles sont attendus',
  'expected a region such as eu-west-1': 'une région comme eu-west-1 est attendue',
  'expected the ARN of an IAM role': 'l’ARN d’un rôle IAM est attendu',
  'Email already exists.': 'Cette adresse e-mail existe déjà.',
  'This tag exists already.': 'Cette étiquette existe déjà.',
  'This email is already in the suppression list.': 'Cette adresse est déjà dans les suppressions.',
  'The provided email is on the suppression list.': 'Cette adresse est dans les suppressions.',
  'The contact is not unverified on this list.': 'L’inscription à cette liste n’attend pas de confirmation.',
  'Double opt-in is not enabled for this list.': 'Cette liste ne demande pas de confirmation par e-mail.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in a minute.':
    'L’adresse a reçu un e-mail de confirmation dans les dix dernières minutes, ou cinq aujourd’hui. Réessayez dans une minute.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} minutes.':
    'L’adresse a reçu un e-mail de confirmation dans les dix dernières minutes, ou cinq aujourd’hui. Réessayez dans {count} minutes.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} hours.':
    'L’adresse a reçu un e-mail de confirmation dans les dix dernières minutes, ou cinq aujourd’hui. Réessayez dans {count} heures.',
  'The list is in use by the email {name}.': 'L’e-mail {name} utilise la liste.',
  'The segment is in use by the campaign {name}.': 'La campagne {name} utilise le segment.',
  'The domain is in use by the sender identity {email}.': 'L’expéditeur {email} utilise le domaine.',
  'The sender identity is in use by the email {name}.': 'L’e-mail {name} utilise l’expéditeur.',
  'The sender identity is the only one, and the scheduled campaign {name} needs it. Add another first, or unschedule the campaign.':
    'C’est le seul expéditeur, et la campagne planifiée {name} en a besoin. Ajoutez-en d’abord un autre, ou annulez la planification.',
  'The email must keep {{verifyLink}}: it is used for the double opt-in of {name}.':
    'L’e-mail doit garder {{verifyLink}} : {name} s’en sert pour confirmer les nouveaux abonnés.',
  'The email is used for the double opt-in of {name}.':
    '{name} se sert de cet e-mail pour confirmer les nouveaux abonnés.',
  'The project may have at most {limit} {records}. Delete some, or ask the operator to raise the limit.':
    'Le projet peut en avoir {limit} au plus. Supprimez-en, ou demandez à l’opérateur de relever la limite.',
  'The {noun} is being used, changed or removed by another request. Please try again.':
    'Une autre demande l’utilise, le modifie ou le supprime en ce moment. Réessayez.',
  'The campaign is being sent. Retry when it has ended.':
    'La campagne est en cours d’envoi. Réessayez quand elle sera terminée.',
  'Failed mails can be retried only after the sending of the campaign has ended.':
    'Les mails en échec ne peuvent être renvoyés qu’après la fin de l’envoi de la campagne.',
  'The campaign is stopped. Continue it first; then failed mails can be retried by reason.':
    'La campagne est arrêtée. Reprenez-la d’abord ; ensuite les mails en échec peuvent être renvoyés par motif.',
  'This mail did not fail in the latest run of the campaign, so it is not sent again.':
    'Ce mail n’a pas échoué au dernier envoi de la campagne, il n’est donc pas renvoyé.',
  'Only a campaign that is being sent can be stopped.': 'Seule une campagne en cours d’envoi peut être arrêtée.',
  'The campaign is just starting, stopping or ending. Please try again.':
    'La campagne est en train de commencer, de s’arrêter ou de finir. Réessayez.',
  'Only a campaign that was stopped can be continued.': 'Seule une campagne arrêtée peut être reprise.',
  'A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.':
    'Une campagne ne peut pas être modifiée dans les 5 minutes avant l’heure prévue ni pendant son envoi.',
  'The recipients of that campaign have been removed.': 'Les destinataires de cette campagne ont été supprimés.',
  'The campaign has just changed. Please try again.': 'La campagne vient de changer. Réessayez.',
  'The campaign has not been sent yet.': 'La campagne n’a pas encore été envoyée.',
  'Insufficient credits available': 'Le crédit ne suffit pas',
  'Daily sandbox limit exceeded': 'La limite quotidienne du bac à sable est atteinte',
  'Monthly limit exceeded': 'La limite mensuelle est atteinte',
  'Project Email AWS configurations not found. The email’s sender identity was deleted. Choose another.':
    'L’expéditeur de l’e-mail a été supprimé. Choisissez-en un autre.',
  'Project Email AWS configurations not found. No sender identity of the project has a verified domain. Check the DNS records.':
    'Aucun expéditeur du projet n’a de domaine vérifié. Vérifiez les enregistrements DNS.',
  'test emails can be sent to private lists only':
    'les e-mails de test ne peuvent être envoyés qu’à des listes privées',
  'The first line has {count} columns, and an import takes {most} at most. Is it a table of contacts?':
    'La première ligne a {count} colonnes, un import en prend {most} au plus. Est-ce un tableau de contacts ?',
  'The uploaded file was deleted.': 'Le fichier envoyé a été supprimé.',
  'The import was started or cancelled already.': 'L’import a déjà été lancé ou annulé.',
  'The project has {count} imports that are not done. Start, cancel or await one.':
    'Le projet a {count} imports inachevés. Lancez-en un, annulez-le ou attendez-le.',
  'The file is empty.': 'Le fichier est vide.',
  'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.':
    'Le fichier n’est pas du texte : c’est peut-être un classeur ou une image. Ouvrez-le dans son programme, enregistrez-le en CSV (UTF-8) et choisissez ce fichier.',
  'The import has ended already.': 'L’import est déjà terminé.',
  'The list of failed rows is deleted after 30 days.': 'La liste des lignes en erreur est supprimée après 30 jours.',
  'The file is larger than {most} bytes.': 'Le fichier dépasse {most} octets.',
  'A project that sends through its own cloud account has its domains there.':
    'Un projet qui envoie par son propre compte cloud y a aussi ses domaines.',
  'The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.':
    'Le formulaire n’a qu’une des deux clés du captcha : mettez les deux, ou aucune.',
  'The form has no list to subscribe to.': 'Le formulaire n’a pas de liste à laquelle s’abonner.',
  'There is a person with this e-mail address already.': 'Il y a déjà une personne avec cette adresse e-mail.',
  'An account must keep at least one owner. Make somebody else an owner first.':
    'Un compte doit garder au moins un propriétaire. Nommez-en d’abord un autre.',
  'An owner owns the whole account, not one project.': 'Un propriétaire possède le compte entier, pas un projet.',
  'A team has at most {most} members.': 'Une équipe a {most} membres au plus.',
  'A second factor is set up already. Remove it first.': 'Un second facteur est déjà configuré. Supprimez-le d’abord.',
  'You have a view of this name already.': 'Vous avez déjà une vue de ce nom.',
  'You have {most} views in this project already. Remove one.':
    'Vous avez déjà {most} vues dans ce projet. Supprimez-en une.',
  'A limit increase is pending already.': 'Une augmentation de la limite est déjà demandée.',
  'Production access needs a domain whose {records} records are verified: add one and check it first.':
    'L’accès à la production demande un domaine dont les enregistrements {records} sont vérifiés : ajoutez-en un et vérifiez-le d’abord.',
  'This API key is in use already.': 'Cette clé d’API est déjà utilisée.',
  'No webhook is configured.': 'Aucun webhook n’est configuré.',
  "Mime type '{type}' not allowed! Allowed mime types are: {types}":
    'Seules les images de ces formats peuvent être envoyées : {types}',
})
