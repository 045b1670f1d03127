import type { MailTexts } from '../mailTexts.ts';

/** The e-mails in Spanish. */
export const MAIL: MailTexts = {
  greeting: 'Hola:',
  greetingByName: 'Hola, {name}:',
  linkFirst: {
    subject: '{organisation} le envía un pago',
    opening: '{organisation} le envía {amount}.',
  },
  linkReplaced: {
    subject: 'Un nuevo enlace para su pago de {organisation}',
    opening:
      'Este es un nuevo enlace para recibir {amount} de {organisation}. El enlace de nuestro último correo ya no es válido.',
  },
  linkReissued: {
    subject: 'Su pago de {organisation} le está esperando',
    opening: '{organisation} le envía {amount}. El enlace anterior ya no es válido; este lo sustituye.',
  },
  linkReopened: {
    subject: 'Revise adónde debe llegar su pago de {organisation}',
    opening:
      'Los {amount} que le envía {organisation} no se han podido pagar en el destino que usted eligió. Vuelva a escribir los datos o elija otro destino.',
  },
  link: {
    steps:
      'Abra el enlace que aparece a continuación, elija adónde debe llegar el dinero y escriba los datos. Después le enviaremos un código de seis dígitos a esta dirección de correo; escríbalo en la página para confirmar.',
    button: 'Elegir cómo cobrar',
    copy: 'O copie esta dirección en su navegador:',
    until: 'El enlace es válido hasta el {expires}. Es solo para usted: por favor, no reenvíe este correo.',
    site: 'La página está en {site}. Compruebe que su navegador muestra ese nombre antes de escribir nada.',
    message: 'Mensaje de {organisation}:',
    unexpected:
      'Si no espera este pago, no tiene que hacer nada: el enlace caducará por sí solo. Si quiere asegurarse, pregunte a {organisation} por un medio que usted ya conozca, no respondiendo a este correo.',
  },
  code: {
    subject: 'Su código para el pago de {organisation}',
    opening:
      'Se han introducido los datos para recibir los {amount} que le envía {organisation}. Para confirmarlos, escriba este código en la página:',
    confirms: 'Lo que confirma: {destination}.',
    until: 'El código es válido hasta el {expires}.',
    secret: 'Escríbalo solo en {site}, en la página que le pidió los datos. No se lo diga a nadie.',
    unexpected:
      'Si usted no ha escrito estos datos, no use este código: sin él no se pagará nada. Avise a {organisation}, por un medio que usted ya conozca, de que otra persona puede tener su enlace.',
  },
  reminder: {
    subject: 'Recordatorio: su pago de {organisation} le está esperando',
    opening: '{organisation} le envía {amount}. Todavía no ha elegido adónde debe llegar el dinero.',
    steps:
      'Abra el enlace de nuestro último correo sobre este pago. Es válido hasta el {expires}. Si no encuentra ese correo, pida un nuevo enlace a {organisation}.',
  },
  confirmation: {
    subject: 'Hemos recibido sus datos para el pago de {organisation}',
    opening: 'Ha elegido dónde recibir los {amount} de {organisation}: {destination}.',
    next: 'Estamos preparando el pago. No tiene que hacer nada más.',
    unexpected:
      'Si usted no ha elegido esto, avise enseguida a {organisation} por un medio que usted ya conozca.',
  },
  delivered: {
    subject: 'Se ha realizado su pago de {organisation}',
    opening: 'Se han pagado los {amount} de {organisation} en el destino que usted eligió: {destination}.',
    next: 'El dinero puede tardar un tiempo en aparecer allí.',
    unexpected: 'Si el dinero no llega, pregunte a {organisation}.',
  },
  destinations: {
    bank: 'cuenta bancaria terminada en {ending}',
    wallet: 'billetera {address}',
    emoney: 'cuenta en {provider} terminada en {ending}',
  },
  endpoint: {
    failing: {
      subject: 'Un punto de conexión de webhooks de {organisation} está fallando',
      opening:
        'Desde el {since}, ningún evento de {organisation} ({environment}) ha llegado al punto de conexión de webhooks {endpoint} en {host}.',
      next: 'Los eventos se vuelven a enviar durante días, pero, tras cinco días de fallos, el punto de conexión se desactiva. GET /v1/webhook_endpoints/{endpoint}/deliveries muestra qué responde su receptor.',
    },
    recovered: {
      subject: 'Un punto de conexión de webhooks de {organisation} vuelve a funcionar',
      opening:
        'El punto de conexión de webhooks {endpoint} de {organisation} ({environment}) en {host} aceptó un evento el {at}, después de haber fallado.',
      next: 'Lo que espera otro intento se enviará por sí solo. POST /v1/webhook_endpoints/{endpoint}/recover lo envía de inmediato, y también lo que ha fallado definitivamente.',
    },
    gone: {
      subject: 'Se ha desactivado un punto de conexión de webhooks de {organisation}',
      opening:
        'El punto de conexión de webhooks {endpoint} de {organisation} ({environment}) en {host} respondió 410 el {at}: no quiere recibir nada más y no recibirá nada más.',
      next: 'Si fue un error, corrija el receptor; después use POST /v1/webhook_endpoints/{endpoint}/enable, y /recover para lo que se haya perdido.',
    },
    disabled: {
      subject: 'Se ha desactivado un punto de conexión de webhooks de {organisation}',
      opening:
        'El punto de conexión de webhooks {endpoint} de {organisation} ({environment}) en {host} llevaba cinco días fallando y no recibe nada más desde el {at}.',
      next: 'Corrija el receptor; después use POST /v1/webhook_endpoints/{endpoint}/enable, y /recover para lo que se haya perdido.',
    },
    footer:
      'Recibe este correo porque el operador de {site} tiene su dirección para los webhooks de {organisation}. Las respuestas a este correo no se leen.',
  },
  neverAsked:
    'Nadie le pedirá una contraseña, una clave privada ni una frase de recuperación: ni en la página, ni por correo, ni por teléfono.',
  contact: 'Cómo contactar con {organisation}:',
  footer: '{organisation} envía este pago a través de {site}. Las respuestas a este correo no se leen.',
};
