import { translatorOf } from './sentences.js'

export const sayServer = translatorOf({
  'must not be empty': 'não pode estar vazio',
  'expected at most {most} characters, got {got}': 'São permitidos no máximo {most} caracteres; são {got}',
  'expected at least {least} characters, got {got}': 'São precisos pelo menos {least} caracteres; são {got}',
  'expected at least {least} characters': 'São precisos pelo menos {least} caracteres',
  'expected at most {most} characters': 'São permitidos no máximo {most} caracteres',
  'expected at most {most} entries, got {got}': 'São permitidos no máximo {most} entradas; são {got}',
  'expected at least 1 entry, got 0': 'é necessária pelo menos uma entrada',
  'expected at most {most}, got {got}': 'O máximo é {most}; é {got}',
  'expected at least {least}, got {got}': 'O mínimo é {least}; é {got}',
  'expected more than {least}, got {got}': 'É preciso mais de {least}; é {got}',
  'expected a whole number, got {got}': 'espera-se um número inteiro, é {got}',
  'expected a whole number': 'espera-se um número inteiro',
  'expected a URL': 'espera-se um URL',
  'expected an http or https URL': 'espera-se um URL com http ou https',
  'Invalid email format': 'Não é um endereço de e-mail válido',
  'Invalid emails format': 'Não são endereços de e-mail válidos',
  'does not have the expected form': 'não tem a forma esperada',
  'Missing required field: {field}': 'Falta um campo obrigatório: {field}',
  'expected an ISO date': 'espera-se uma data',
  'expected an ISO date or date-time': 'espera-se uma data ou um momento',
  'expected an ISO 8601 date and time': 'esperam-se data e hora',
  'expected an IANA time zone': 'espera-se um fuso horário como Europe/Lisbon',
  'must not contain line breaks': 'não pode conter quebras de linha',
  'must not contain control characters': 'não pode conter caracteres de controlo',
  'must not contain ; { } < or >': 'não pode conter ; { } < nem >',
  'expected a URL on the public internet: this server posts nothing to its own machine or network':
    'espera-se um URL da internet pública: este servidor não envia nada para a própria máquina nem para a sua rede',
  'must not carry a user name or password': 'não pode conter utilizador nem palavra-passe',
  'expected letters, digits and underscores, without spaces': 'esperam-se letras, algarismos e sublinhados sem espaços',
  'a field {name} exists already': 'já existe um campo {name}',
  'Unknown tag: {name}': 'A etiqueta {name} não existe',
  'at most {most} for a contact': 'no máximo {most} para um contacto',
  'expected a color as #rrggbb': 'espera-se uma cor como #0055aa',
  "expected a font stack such as 'Open Sans', Arial, sans-serif":
    "esperam-se fontes como 'Open Sans', Arial, sans-serif",
  'expected a domain name such as example.com': 'espera-se um nome de domínio como example.com',
  'expected a bare domain, without protocol or path': 'espera-se só um domínio, sem protocolo nem caminho',
  'expected a name below {domain}, such as {example}': 'espera-se um nome abaixo de {domain}, por exemplo {example}',
  '{domain} is a domain of this project in {region} already': '{domain} já é um domínio deste projeto em {region}',
  'the domain {domain} is not verified in {region}; add it and its DNS records first':
    'o domínio {domain} não está verificado em {region}; adicione-o primeiro com os seus registos DNS',
  'another account has added the domain {domain}, or one above it; add it to this project and verify it by its DNS records first':
    'outra conta adicionou o domínio {domain} ou um acima dele; adicione-o primeiro a este projeto e verifique-o pelos registos DNS',
  '{email} is a sender identity in {region} already': '{email} já é um remetente em {region}',
  'the content of the email must include {{verifyLink}}': 'o conteúdo do e-mail tem de incluir {{verifyLink}}',
  'an active double opt-in needs a transactional email': 'a confirmação por e-mail precisa de um e-mail transacional',
  'too simple': 'demasiado simples',
  'expected at least one type of event': 'é necessário pelo menos um tipo de evento',
  'the campaign was last sent at {time}; to send it again, give a later time':
    'a campanha foi enviada pela última vez a {time}; indique uma hora posterior para a enviar de novo',
  'the campaign has not been sent': 'a campanha não foi enviada',
  'not possible with a segment': 'não é possível com um segmento',
  'the campaign was sent to another list': 'a campanha foi enviada para outra lista',
  'the file is UTF-8 except for {count} places, the first in line {line}. Choose an encoding.':
    'o ficheiro é UTF-8 exceto em {count} lugares, o primeiro na linha {line}. Escolha uma codificação.',
  'folders lie at most {most} deep in one another': 'as pastas ficam no máximo {most} níveis umas dentro das outras',
  'the {type} is not complete': 'a imagem ({type}) não está completa',
  'expected more than the current {limit}, or 0': 'espera-se mais do que os {limit} atuais, ou 0',
  'the project sends by these credentials: give others': 'o projeto envia com estas credenciais: indique outras',
  'expected 20 to 200 visible ASCII characters': 'esperam-se 20 a 200 caracteres ASCII visíveis',
  'expected 1 to 256 visible ASCII characters': 'esperam-se 1 a 256 caracteres ASCII visíveis',
  'expected a region such as eu-west-1': 'espera-se uma região como eu-west-1',
  'expected the ARN of an IAM role': 'espera-se o ARN de um papel do IAM',
  'Email already exists.': 'Este endereço de e-mail já existe.',
  'This tag exists already.': 'Esta etiqueta já existe.',
  'This email is already in the suppression list.': 'Este endereço já está suprimido.',
  'The provided email is on the suppression list.': 'Este endereço está suprimido.',
  'The contact is not unverified on this list.': 'A subscrição desta lista não espera confirmação.',
  'Double opt-in is not enabled for this list.': 'Esta lista não pede confirmação por e-mail.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in a minute.':
    'O endereço recebeu um e-mail de confirmação nos últimos dez minutos, ou cinco hoje. Tente de novo dentro de um minuto.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} minutes.':
    'O endereço recebeu um e-mail de confirmação nos últimos dez minutos, ou cinco hoje. Tente de novo dentro de {count} minutos.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} hours.':
    'O endereço recebeu um e-mail de confirmação nos últimos dez minutos, ou cinco hoje. Tente de novo dentro de {count} horas.',
  'The list is in use by the email {name}.': 'O e-mail {name} usa a lista.',
  'The segment is in use by the campaign {name}.': 'A campanha {name} usa o segmento.',
  'The domain is in use by the sender identity {email}.': 'O remetente {email} usa o domínio.',
  'The sender identity is in use by the email {name}.': 'O e-mail {name} usa o remetente.',
  'The sender identity is the only one, and the scheduled campaign {name} needs it. Add another first, or unschedule the campaign.':
    'É o único remetente, e a campanha agendada {name} precisa dele. Adicione outro primeiro ou anule o agendamento.',
  'The email must keep {{verifyLink}}: it is used for the double opt-in of {name}.':
    'O e-mail tem de manter {{verifyLink}}: {name} confirma com ele os novos subscritores.',
  'The email is used for the double opt-in of {name}.': '{name} confirma com este e-mail os novos subscritores.',
  'The project may have at most {limit} {records}. Delete some, or ask the operator to raise the limit.':
    'O projeto pode ter no máximo {limit}. Elimine alguns, ou peça ao operador para subir o limite.',
  'The {noun} is being used, changed or removed by another request. Please try again.':
    'Outro pedido está a usá-lo, alterá-lo ou eliminá-lo. Tente de novo.',
  'The campaign is being sent. Retry when it has ended.':
    'A campanha está a ser enviada. Tente quando tiver terminado.',
  'Failed mails can be retried only after the sending of the campaign has ended.':
    'Os e-mails falhados só podem ser repetidos depois de terminar o envio da campanha.',
  'The campaign is stopped. Continue it first; then failed mails can be retried by reason.':
    'A campanha está parada. Continue-a primeiro; depois os e-mails falhados podem ser repetidos por motivo.',
  'This mail did not fail in the latest run of the campaign, so it is not sent again.':
    'Este e-mail não falhou no último envio da campanha, por isso não é enviado de novo.',
  'Only a campaign that is being sent can be stopped.': 'Só uma campanha que está a ser enviada pode ser parada.',
  'The campaign is just starting, stopping or ending. Please try again.':
    'A campanha está a começar, a parar ou a terminar. Tente de novo.',
  'Only a campaign that was stopped can be continued.': 'Só uma campanha parada pode ser continuada.',
  'A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.':
    'Uma campanha não pode ser alterada nos 5 minutos antes da hora agendada nem durante o envio.',
  'The recipients of that campaign have been removed.': 'Os destinatários dessa campanha foram removidos.',
  'The campaign has just changed. Please try again.': 'A campanha acabou de mudar. Tente de novo.',
  'The campaign has not been sent yet.': 'A campanha ainda não foi enviada.',
  'Insufficient credits available': 'O crédito não chega',
  'Daily sandbox limit exceeded': 'O limite diário da sandbox foi atingido',
  'Monthly limit exceeded': 'O limite mensal foi atingido',
  'Project Email AWS configurations not found. The email’s sender identity was deleted. Choose another.':
    'O remetente do e-mail foi eliminado. Escolha outro.',
  'Project Email AWS configurations not found. No sender identity of the project has a verified domain. Check the DNS records.':
    'Nenhum remetente do projeto tem um domínio verificado. Verifique os registos DNS.',
  'test emails can be sent to private lists only': 'os e-mails de teste só podem ser enviados para listas privadas',
  'The first line has {count} columns, and an import takes {most} at most. Is it a table of contacts?':
    'A primeira linha tem {count} colunas, e uma importação aceita no máximo {most}. É uma tabela de contactos?',
  'The uploaded file was deleted.': 'O ficheiro enviado foi eliminado.',
  'The import was started or cancelled already.': 'A importação já foi iniciada ou cancelada.',
  'The project has {count} imports that are not done. Start, cancel or await one.':
    'O projeto tem {count} importações por terminar. Inicie, cancele ou aguarde uma.',
  'The file is empty.': 'O ficheiro está vazio.',
  'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.':
    'O ficheiro não é texto: pode ser uma folha de cálculo ou uma imagem. Abra-o no seu programa, guarde-o como CSV (UTF-8) e escolha esse ficheiro.',
  'The import has ended already.': 'A importação já terminou.',
  'The list of failed rows is deleted after 30 days.': 'A lista de linhas com erro é eliminada após 30 dias.',
  'The file is larger than {most} bytes.': 'O ficheiro tem mais de {most} bytes.',
  'A project that sends through its own cloud account has its domains there.':
    'Um projeto que envia pela sua própria conta na nuvem tem lá os seus domínios.',
  'The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.':
    'O formulário só tem uma das duas chaves do captcha: defina ambas ou nenhuma.',
  'The form has no list to subscribe to.': 'O formulário não tem lista para subscrever.',
  'There is a person with this e-mail address already.': 'Já há uma pessoa com este endereço de e-mail.',
  'An account must keep at least one owner. Make somebody else an owner first.':
    'Uma conta tem de manter pelo menos um proprietário. Nomeie outro primeiro.',
  'An owner owns the whole account, not one project.': 'Um proprietário possui a conta toda, não um projeto.',
  'A team has at most {most} members.': 'Uma equipa tem no máximo {most} membros.',
  'A second factor is set up already. Remove it first.': 'Já existe um segundo fator. Remova-o primeiro.',
  'You have a view of this name already.': 'Já tem uma vista com este nome.',
  'You have {most} views in this project already. Remove one.': 'Já tem {most} vistas neste projeto. Remova uma.',
  'A limit increase is pending already.': 'Já há um aumento do limite pendente.',
  'Production access needs a domain whose {records} records are verified: add one and check it first.':
    'O acesso à produção precisa de um domínio com os registos {records} verificados: adicione um e verifique-o primeiro.',
  'This API key is in use already.': 'Esta chave de API já está em uso.',
  'No webhook is configured.': 'Não há nenhum webhook configurado.',
  "Mime type '{type}' not allowed! Allowed mime types are: {types}":
    'Só é possível carregar imagens destes formatos: {types}',
})
