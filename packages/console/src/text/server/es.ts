import { translatorOf } from './sentences.js'

export const sayServer = translatorOf({
  'must not be empty': 'no puede estar vacío',
  'expected at most {most} characters, got {got}': 'Se permiten como máximo {most} caracteres; hay {got}',
  'expected at least {least} characters, got {got}': 'Se necesitan como mínimo {least} caracteres; hay {got}',
  'expected at least {least} characters': 'Se necesitan como mínimo {least} caracteres',
  'expected at most {most} characters': 'Se permiten como máximo {most} caracteres',
  'expected at most {most} entries, got {got}': 'Se permiten como máximo {most} entradas; hay {got}',
  'expected at least 1 entry, got 0': 'se necesita al menos una entrada',
  'expected at most {most}, got {got}': 'El máximo es {most}; es {got}',
  'expected at least {least}, got {got}': 'El mínimo es {least}; es {got}',
  'expected more than {least}, got {got}': 'Debe ser más de {least}; es {got}',
  'expected a whole number, got {got}': 'se espera un número entero, es {got}',
  'expected a whole number': 'se espera un número entero',
  'expected a URL': 'se espera una URL',
  'expected an http or https URL': 'se espera una URL con http o https',
  'Invalid email format': 'No es una dirección de correo válida',
  'Invalid emails format': 'No son direcciones de correo válidas',
  'does not have the expected form': 'no tiene la forma esperada',
  'Missing required field: {field}': 'Falta un campo obligatorio: {field}',
  'expected an ISO date': 'se espera una fecha',
  'expected an ISO date or date-time': 'se espera una fecha o un momento',
  'expected an ISO 8601 date and time': 'se esperan fecha y hora',
  'expected an IANA time zone': 'se espera una zona horaria como Europe/Madrid',
  'must not contain line breaks': 'no puede contener saltos de línea',
  'must not contain control characters': 'no puede contener caracteres de control',
  'must not contain ; { } < or >': 'no puede contener ; { } < ni >',
  'expected a URL on the public internet: this server posts nothing to its own machine or network':
    'se espera una URL de la internet pública: este servidor no envía nada a su propia máquina ni a su red',
  'must not carry a user name or password': 'no puede contener usuario ni contraseña',
  'expected letters, digits and underscores, without spaces': 'se esperan letras, cifras y guiones bajos sin espacios',
  'a field {name} exists already': 'ya existe un campo {name}',
  'Unknown tag: {name}': 'La etiqueta {name} no existe',
  'at most {most} for a contact': 'como máximo {most} para un contacto',
  'expected a color as #rrggbb': 'se espera un color como #0055aa',
  "expected a font stack such as 'Open Sans', Arial, sans-serif":
    "se esperan fuentes como 'Open Sans', Arial, sans-serif",
  'expected a domain name such as example.com': 'se espera un nombre de dominio como example.com',
  'expected a bare domain, without protocol or path': 'se espera solo un dominio, sin protocolo ni ruta',
  'expected a name below {domain}, such as {example}': 'se espera un nombre bajo {domain}, por ejemplo {example}',
  '{domain} is a domain of this project in {region} already': '{domain} ya es un dominio de este proyecto en {region}',
  'the domain {domain} is not verified in {region}; add it and its DNS records first':
    'el dominio {domain} no está verificado en {region}; añádalo primero con sus registros DNS',
  'another account has added the domain {domain}, or one above it; add it to this project and verify it by its DNS records first':
    'otra cuenta ha añadido el dominio {domain} o uno superior; añádalo primero a este proyecto y verifíquelo con sus registros DNS',
  '{email} is a sender identity in {region} already': '{email} ya es un remitente en {region}',
  'the content of the email must include {{verifyLink}}': 'el contenido del correo debe incluir {{verifyLink}}',
  'an active double opt-in needs a transactional email': 'la confirmación por correo necesita un correo transaccional',
  'too simple': 'demasiado simple',
  'expected at least one type of event': 'se necesita al menos un tipo de evento',
  'the campaign was last sent at {time}; to send it again, give a later time':
    'la campaña se envió por última vez a las {time}; indique una hora posterior para volver a enviarla',
  'the campaign has not been sent': 'la campaña no se ha enviado',
  'not possible with a segment': 'no es posible con un segmento',
  'the campaign was sent to another list': 'la campaña se envió a otra lista',
  'the file is UTF-8 except for {count} places, the first in line {line}. Choose an encoding.':
    'el archivo es UTF-8 salvo en {count} lugares, el primero en la línea {line}. Elija una codificación.',
  'folders lie at most {most} deep in one another': 'las carpetas se anidan como máximo en {most} niveles',
  'the {type} is not complete': 'la imagen ({type}) no está completa',
  'expected more than the current {limit}, or 0': 'se espera más que los {limit} actuales, o 0',
  'the project sends by these credentials: give others': 'el proyecto envía con estas credenciales: indique otras',
  'expected 20 to 200 visible ASCII characters': 'se esperan de 20 a 200 caracteres ASCII visibles',
  'expected 1 to 256 visible ASCII characters': 'se esperan de 1 a 256 caracteres ASCII visibles',
  'expected a region such as eu-west-1': 'se espera una región como eu-west-1',
  'expected the ARN of an IAM role': 'se espera el ARN de un rol de IAM',
  'Email already exists.': 'Esta dirección de correo ya existe.',
  'This tag exists already.': 'Esta etiqueta ya existe.',
  'This email is already in the suppression list.': 'Esta dirección ya está suprimida.',
  'The provided email is on the suppression list.': 'Esta dirección está suprimida.',
  'The contact is not unverified on this list.': 'La suscripción a esta lista no espera confirmación.',
  'Double opt-in is not enabled for this list.': 'Esta lista no pide confirmación por correo.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in a minute.':
    'La dirección ha recibido un correo de confirmación en los últimos diez minutos, o cinco hoy. Inténtelo de nuevo en un minuto.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} minutes.':
    'La dirección ha recibido un correo de confirmación en los últimos diez minutos, o cinco hoy. Inténtelo de nuevo en {count} minutos.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} hours.':
    'La dirección ha recibido un correo de confirmación en los últimos diez minutos, o cinco hoy. Inténtelo de nuevo en {count} horas.',
  'The list is in use by the email {name}.': 'El correo {name} usa la lista.',
  'The segment is in use by the campaign {name}.': 'La campaña {name} usa el segmento.',
  'The domain is in use by the sender identity {email}.': 'El remitente {email} usa el dominio.',
  'The sender identity is in use by the email {name}.': 'El correo {name} usa el remitente.',
  'The sender identity is the only one, and the scheduled campaign {name} needs it. Add another first, or unschedule the campaign.':
    'Es el único remitente, y la campaña programada {name} lo necesita. Añada otro primero o anule la programación.',
  'The email must keep {{verifyLink}}: it is used for the double opt-in of {name}.':
    'El correo debe conservar {{verifyLink}}: {name} confirma con él a los nuevos suscriptores.',
  'The email is used for the double opt-in of {name}.': '{name} confirma con este correo a los nuevos suscriptores.',
  'The project may have at most {limit} {records}. Delete some, or ask the operator to raise the limit.':
    'El proyecto puede tener como máximo {limit}. Elimine algunos, o pida al operador que suba el límite.',
  'The {noun} is being used, changed or removed by another request. Please try again.':
    'Otra solicitud lo está usando, cambiando o eliminando. Inténtelo de nuevo.',
  'The campaign is being sent. Retry when it has ended.':
    'La campaña se está enviando. Inténtelo cuando haya terminado.',
  'Failed mails can be retried only after the sending of the campaign has ended.':
    'Los correos fallidos solo se pueden reintentar cuando ha terminado el envío de la campaña.',
  'The campaign is stopped. Continue it first; then failed mails can be retried by reason.':
    'La campaña está detenida. Continúela primero; después se pueden reintentar los correos fallidos por motivo.',
  'This mail did not fail in the latest run of the campaign, so it is not sent again.':
    'Este correo no falló en el último envío de la campaña, por eso no se envía de nuevo.',
  'Only a campaign that is being sent can be stopped.': 'Solo se puede detener una campaña que se está enviando.',
  'The campaign is just starting, stopping or ending. Please try again.':
    'La campaña está empezando, deteniéndose o terminando. Inténtelo de nuevo.',
  'Only a campaign that was stopped can be continued.': 'Solo se puede continuar una campaña detenida.',
  'A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.':
    'Una campaña no se puede cambiar en los 5 minutos previos a su hora ni mientras se envía.',
  'The recipients of that campaign have been removed.': 'Los destinatarios de esa campaña se han eliminado.',
  'The campaign has just changed. Please try again.': 'La campaña acaba de cambiar. Inténtelo de nuevo.',
  'The campaign has not been sent yet.': 'La campaña aún no se ha enviado.',
  'Insufficient credits available': 'El crédito no es suficiente',
  'Daily sandbox limit exceeded': 'Se ha alcanzado el límite diario de la sandbox',
  'Monthly limit exceeded': 'Se ha alcanzado el límite mensual',
  'Project Email AWS configurations not found. The email’s sender identity was deleted. Choose another.':
    'El remitente del correo se eliminó. Elija otro.',
  'Project Email AWS configurations not found. No sender identity of the project has a verified domain. Check the DNS records.':
    'Ningún remitente del proyecto tiene un dominio verificado. Compruebe los registros DNS.',
  'test emails can be sent to private lists only': 'los correos de prueba solo se pueden enviar a listas privadas',
  'The first line has {count} columns, and an import takes {most} at most. Is it a table of contacts?':
    'La primera línea tiene {count} columnas, y una importación admite {most} como máximo. ¿Es una tabla de contactos?',
  'The uploaded file was deleted.': 'El archivo subido se eliminó.',
  'The import was started or cancelled already.': 'La importación ya se inició o se canceló.',
  'The project has {count} imports that are not done. Start, cancel or await one.':
    'El proyecto tiene {count} importaciones sin terminar. Inicie, cancele o espere una.',
  'The file is empty.': 'El archivo está vacío.',
  'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.':
    'El archivo no es texto: puede ser una hoja de cálculo o una imagen. Ábralo en su programa, guárdelo como CSV (UTF-8) y elija ese archivo.',
  'The import has ended already.': 'La importación ya ha terminado.',
  'The list of failed rows is deleted after 30 days.': 'La lista de filas con error se elimina a los 30 días.',
  'The file is larger than {most} bytes.': 'El archivo supera los {most} bytes.',
  'A project that sends through its own cloud account has its domains there.':
    'Un proyecto que envía con su propia cuenta en la nube tiene allí sus dominios.',
  'The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.':
    'El formulario solo tiene una de las dos claves del captcha: ponga ambas o ninguna.',
  'The form has no list to subscribe to.': 'El formulario no tiene ninguna lista a la que suscribirse.',
  'There is a person with this e-mail address already.': 'Ya hay una persona con esta dirección de correo.',
  'An account must keep at least one owner. Make somebody else an owner first.':
    'Una cuenta debe conservar al menos un propietario. Nombre antes a otro.',
  'An owner owns the whole account, not one project.': 'Un propietario posee toda la cuenta, no un proyecto.',
  'A team has at most {most} members.': 'Un equipo tiene como máximo {most} miembros.',
  'A second factor is set up already. Remove it first.': 'Ya hay un segundo factor. Elimínelo primero.',
  'You have a view of this name already.': 'Ya tiene una vista con este nombre.',
  'You have {most} views in this project already. Remove one.': 'Ya tiene {most} vistas en este proyecto. Elimine una.',
  'A limit increase is pending already.': 'Ya hay pendiente un aumento del límite.',
  'Production access needs a domain whose {records} records are verified: add one and check it first.':
    'El acceso a producción necesita un dominio con los registros {records} verificados: añada uno y compruébelo primero.',
  'This API key is in use already.': 'Esta clave de API ya está en uso.',
  'No webhook is configured.': 'No hay ningún webhook configurado.',
  "Mime type '{type}' not allowed! Allowed mime types are: {types}":
    'Solo se pueden subir imágenes de estos formatos: {types}',
})
