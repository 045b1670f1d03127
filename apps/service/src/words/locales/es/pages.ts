import type { PageTexts } from '../pageTexts.ts';

/** The collect pages in Spanish. */
export const PAGES: PageTexts = {
  common: {
    errorPrefix: 'Error',
    errorSummary: 'Revise lo que ha escrito',
    step: 'Paso {step} de {steps}',
    pays: '{organisation} le envía {amount}',
    safety:
      'Nunca le pediremos una contraseña, un PIN, una frase de recuperación ni un pago. Si una página lo hace, ciérrela: no es nuestra.',
    continue: 'Continuar',
    optional: 'opcional',
    chooseOne: 'Elija uno',
    range: 'de {least} a {most}',
    contact: 'Cómo contactar con {organisation}:',
  },
  shell: {
    title: 'Cobre su pago',
    explanation: 'Ha recibido un correo con un enlace porque hay dinero que le está esperando.',
    label: 'Enlace de su correo',
    hint: 'Copie el enlace completo del correo y péguelo aquí.',
    button: 'Abrir',
    opening: 'Abriendo su pago…',
    pageOver:
      'Esta página ya no se puede mostrar. Vuelva a abrir el enlace de su correo: si ha pedido un código, seguirá desde allí.',
    noLink: 'El enlace está incompleto. Vuelva a copiarlo del correo, desde https:// hasta el final.',
  },
  destination: {
    title: '{organisation} le envía {amount}',
    messageFrom: 'Mensaje de {organisation}',
    arrives: 'El dinero suele llegar {time} después de que usted confirme.',
    until: 'Puede elegir hasta el {expires}.',
    question: '¿Adónde debe llegar el dinero?',
    walletHint:
      'Recibe {amount} en su propia dirección en {chain}. Para quienes ya usan una billetera de criptomonedas.',
    bankHint: 'En una cuenta a su nombre.',
    bankHintIn: 'En una cuenta a su nombre. País: {country}.',
    emoneyHint: 'En una cuenta de pago en el teléfono móvil o en internet. Moneda: {currency}.',
    country: 'País de la cuenta bancaria',
    chooseCountry: 'Elija un país',
    nextTitle: 'Qué ocurrirá después',
    next: [
      'Usted escribe los datos y los revisa.',
      'Le enviamos un código por correo, para que nadie más pueda usar su enlace.',
      '{organisation} paga el dinero en el destino que usted ha elegido.',
    ],
    askedAgain: 'Le preguntamos otra vez porque el último pago no funcionó. Su destino era: {destination}.',
    anewTitle: 'Vuelva a escribir sus datos',
    anew: 'Con este enlace se han escrito datos distintos, quizá por otra persona que lo tiene. Los códigos enviados hasta ahora no valen aquí. Si usted escribió sus datos una sola vez, avise a {organisation}.',
    noType: 'Elija adónde debe llegar el dinero.',
    noCountry: 'Elija el país de su cuenta bancaria.',
  },
  types: {
    wallet: 'Billetera cripto ({token} en {chain})',
    bank: 'Cuenta bancaria',
    emoney: 'Cuenta de dinero electrónico',
  },
  details: {
    walletTitle: 'Su billetera',
    bankTitle: 'Su cuenta bancaria ({country})',
    emoneyTitle: 'Su cuenta de dinero electrónico',
    walletNote:
      'El dinero se envía como {token} por {chain}. Indique una dirección que pueda usar en esta red. Si es de una plataforma de intercambio, asegúrese de que esta acepta depósitos de {token} en {chain}.',
    changeChoice: 'Elegir otro destino',
    useWallet: 'Usar la billetera del navegador',
    useWalletHint: 'Solo se lee su dirección. No tiene que firmar ni pagar nada.',
    useWalletNamed: 'Tomar la dirección de {wallet}',
    walletAsked: 'Responda a la pregunta en su billetera.',
    walletTaken: 'La dirección ya está escrita. Compárela con la de su billetera.',
    walletRefused: 'La billetera no ha dado ninguna dirección. Puede pegarla usted.',
    missing: 'Falta este dato: {label}.',
    wrong: '{label}: todavía no es correcto. {hint}',
    mistyped: '{label}: hay un error de escritura. Compare todos los caracteres.',
    mistypedAddress:
      'La dirección de la billetera tiene un error de escritura: sus mayúsculas y minúsculas no encajan. Vuelva a copiarla de su billetera.',
    refusedAddress:
      'Esta dirección no puede recibir su dinero: pertenece a un token o a otro contrato, o no es de nadie. Indique la dirección de su propia billetera.',
    otherMistake: 'Hay algo que no encaja. Vuelva a elegir el destino.',
  },
  fields: {
    'wallet.address': {
      label: 'Dirección de la billetera',
      hint: 'Empieza por 0x y siguen 40 dígitos y letras de la «a» a la «f». Es mejor copiarla de su billetera que escribirla.',
    },
    'wallet.name': { label: 'Nombre completo', hint: 'El nombre de la persona titular de la billetera.' },
    'bank.name': { label: 'Titular de la cuenta', hint: 'El nombre completo, tal como figura en su banco.' },
    'bank.account.bsb': { label: 'BSB', hint: 'Seis dígitos, con o sin guion.' },
    'bank.account.accountNumber': {
      label: 'Número de cuenta',
      hint: '{length} dígitos, incluidos los ceros del principio.',
    },
    'bank.account.accountNumber.mixed': { label: 'Número de cuenta', hint: '{length} letras o dígitos.' },
    'bank.account.routingNumber': {
      label: 'Número de ruta (ABA)',
      hint: 'Los nueve dígitos del número de ruta ABA; están abajo a la izquierda en los cheques.',
    },
    'bank.account.accountType': { label: 'Tipo de cuenta', hint: 'Su banco puede decirle cuál es.' },
    'bank.account.sortCode': { label: 'Código de sucursal', hint: 'Seis dígitos, con o sin guiones.' },
    'bank.account.ifsc': {
      label: 'IFSC',
      hint: 'Cuatro letras, un cero y seis letras o dígitos. Está en su chequera y en su libreta.',
    },
    'bank.account.clabe': { label: 'CLABE', hint: '18 dígitos. Está en su estado de cuenta.' },
    'bank.account.institutionNumber': { label: 'Número de institución', hint: 'Tres dígitos.' },
    'bank.account.transitNumber': { label: 'Número de tránsito', hint: 'Cinco dígitos.' },
    'bank.account.iban': {
      label: 'IBAN',
      hint: 'Empieza por {prefix} y tiene {length} caracteres; los espacios no importan.',
    },
    'bank.account.iban.CH': {
      label: 'IBAN',
      hint: 'Empieza por {prefix} y tiene {length} caracteres; los espacios no importan. No se puede usar un QR-IBAN.',
    },
    'bank.account.iban.LI': {
      label: 'IBAN',
      hint: 'Empieza por {prefix} y tiene {length} caracteres; los espacios no importan. No se puede usar un QR-IBAN.',
    },
    'bank.account.bic': {
      label: 'BIC (código SWIFT)',
      hint: '8 u 11 letras y dígitos. Está en su estado de cuenta.',
    },
    'emoney.name': { label: 'Titular', hint: 'El nombre completo, tal como lo conoce el proveedor.' },
    'emoney.provider': {
      label: 'Proveedor',
      hint: 'La empresa en la que tiene la cuenta de dinero electrónico.',
    },
    'emoney.idType': {
      label: 'Cómo le identifica el proveedor',
      hint: 'Lo que usted da a quienes quieren enviarle dinero.',
    },
    'emoney.idValue.PHONE': {
      label: 'Número de teléfono',
      hint: 'Con + y el prefijo del país al principio.',
    },
    'emoney.idValue.EMAIL': {
      label: 'Dirección de correo',
      hint: 'La dirección con la que se registró allí.',
    },
    'emoney.idValue.ACCOUNT_ID': {
      label: 'ID de la cuenta',
      hint: 'De 4 a 64 caracteres, exactamente como lo muestra el proveedor.',
    },
  },
  words: {
    CHECKING: 'Cuenta corriente (Checking)',
    SAVINGS: 'Cuenta de ahorros (Savings)',
    PHONE: 'Número de teléfono',
    EMAIL: 'Dirección de correo',
    ACCOUNT_ID: 'ID de la cuenta',
  },
  masked: {
    bank: 'Cuenta bancaria que termina en {ending}',
    wallet: 'Billetera {address} en {chain}',
    emoney: 'Cuenta de dinero electrónico que termina en {ending}',
    emoneyEmail: 'Cuenta de dinero electrónico de {email}',
    emoneyOther: 'Cuenta de dinero electrónico',
  },
  failures: {
    ACCOUNT_NOT_FOUND:
      'No existe ninguna cuenta con los datos que dio. Revise cada dígito o elija otro destino.',
    ACCOUNT_CLOSED: 'Esa cuenta está cerrada. Elija otra.',
    NAME_MISMATCH:
      'El nombre no coincidía con la cuenta. Escríbalo exactamente como lo conoce su banco o proveedor, o elija otro destino.',
    RAIL_UNAVAILABLE:
      'En ese momento no se podía hacer un pago así. Puede volver a dar los mismos datos o elegir otro destino.',
    INSUFFICIENT_FUNDS: 'No fue por sus datos. Puede volver a darlos o elegir otro destino.',
    RETURNED: 'El dinero se envió y volvió. Revise sus datos o elija otro destino.',
    OTHER: 'No se pudo hacer el pago a ese destino. Revise sus datos o elija otro destino.',
  },
  review: {
    title: 'Revise sus datos',
    explanation:
      'El dinero llega exactamente adonde usted indique aquí. Muchas veces no se puede deshacer un pago equivocado.',
    receives: 'Usted recibe',
    from: 'De',
    destination: 'Destino',
    country: 'País',
    contract: 'Contrato del token',
    chain: 'Red',
    arrival: 'Llegada',
    arrivalText: 'normalmente {time} después de que usted confirme',
    currency: 'Moneda',
    addressCheck: 'Compare cada grupo con la dirección de su billetera.',
    warning:
      'Un pago en {chain} no se puede recuperar. El dinero enviado a una dirección equivocada se pierde.',
    confirmation: 'He comparado toda la dirección y puedo usar {token} en ella en {chain}.',
    notConfirmed: 'Confirme que ha comparado la dirección.',
    codeNote:
      'A continuación enviaremos un código a {email}. Sus datos solo contarán cuando lo haya escrito.',
    button: 'Todo correcto, enviar el código',
    change: 'Cambiar algo',
    tooSoon: 'Podrá pedir un código nuevo dentro de {wait}.',
    tooMany: 'No se pueden enviar más códigos para este enlace. Pida un nuevo enlace a {organisation}.',
  },
  code: {
    title: 'Escriba el código que ha recibido por correo',
    sent: 'Hemos enviado un código de 6 dígitos a {email}.',
    why: 'Así nos aseguramos de que solo usted decide adónde llega el dinero. No se lo dé a nadie.',
    confirms: 'El código confirma',
    sentAt: 'Código enviado',
    keptTitle: '¿Lo ha escrito usted?',
    kept: 'Con su enlace se han escrito unos datos, que esperan el código de su correo. Si los ha escrito usted, siga aquí. Si no, no use el código: sin él no valen.',
    own: 'Sí, lo he escrito yo: {destination}',
    notOwn: 'Marque que usted ha escrito estos datos. Si no es así, elija de nuevo más abajo.',
    notMineTitle: '¿No son sus datos?',
    notMine:
      'Sin el código no valen, así que no lo use. Elija de nuevo con sus propios datos y avise a {organisation}: otra persona puede tener su enlace.',
    chooseAgain: 'No son mis datos: elegir de nuevo',
    notMineSpent:
      'Sin el código no valen, así que no lo use. Pida un nuevo enlace más arriba y avise a {organisation}: otra persona puede tener su enlace.',
    replacedHere:
      'Después de sus datos se escribieron otros, y el último código es para esos. Para los de usted necesita un código nuevo.',
    validFor: 'Es válido durante diez minutos.',
    label: 'Código',
    hint: 'Seis dígitos.',
    attemptsLeft: 'Intentos restantes: {count}.',
    button: 'Confirmar',
    spentTitle: 'Su código ya no es válido',
    spentHint: 'Necesita un código nuevo. Podemos enviarlo ahora a la misma dirección de correo.',
    spentHintIn: 'Necesita un código nuevo. Podrá pedirlo dentro de {wait}.',
    resendTitle: '¿No le ha llegado el correo?',
    resendHint:
      'Puede tardar unos minutos. Mire también en la carpeta de correo no deseado. Un código nuevo sustituye al anterior.',
    resend: 'Enviar un código nuevo',
    resent: 'Hemos enviado un código nuevo a {email}. El anterior ya no es válido.',
    noMoreCodesShort: 'No se pueden enviar más códigos para este enlace.',
    noMoreCodes: 'No se pueden enviar más códigos para este enlace. Pida un nuevo enlace a {organisation}.',
    startAgain: 'Cambiar el destino',
    malformed: 'El código tiene seis dígitos. Escríbalos todos.',
    wrong: 'Ese no es el último código que enviamos para estos datos.',
    expired: 'Este código ha caducado.',
    noAttempts: 'El código ha sido incorrecto demasiadas veces.',
    tooSoon:
      'Se acaba de enviar un código. Solo vale para los datos para los que se envió. Podrá pedir otro dentro de {wait}.',
  },
  receipt: {
    amount: 'Importe',
    statusTitle: 'Estado',
    status: {
      PENDING: {
        word: 'Sin pagar todavía',
        title: 'Gracias. Hemos recibido sus datos.',
        next: 'No tiene que hacer nada más. {organisation} prepara ahora el pago en el destino que usted ha elegido.',
      },
      SENT: {
        word: 'En camino',
        title: 'Su dinero está en camino',
        next: 'No tiene que hacer nada más. El tiempo que tarde depende del destino.',
      },
      DELIVERED: {
        word: 'Pagado',
        title: 'Su dinero se ha pagado',
        next: 'Si no lo ve, pregunte a {organisation}.',
      },
      FAILED: {
        word: 'Fallido',
        title: 'El pago no se ha podido realizar',
        next: 'No se ha podido pagar el dinero en el destino que usted eligió. Recibirá un correo con un nuevo enlace para corregir los datos o elegir otro destino.',
      },
      RETURNED: {
        word: 'Devuelto',
        title: 'El pago ha sido devuelto',
        next: 'El dinero se pagó y después se devolvió a {organisation}. Pregunte a {organisation} qué ocurrirá ahora.',
      },
    },
    occurredAt: {
      SENT: 'Enviado el',
      DELIVERED: 'Pagado el',
      FAILED: 'Fallido el',
      RETURNED: 'Devuelto el',
    },
    expectedBy: 'Se espera hasta el',
    late: 'Está tardando más de lo habitual. Si quiere saber por qué, pregunte a {organisation}.',
    transaction: 'Transacción',
    explorer: 'Ver en {site}',
    paidAmount: 'Importe pagado',
    convertedAmount: 'Importe convertido',
    reference: 'Referencia',
    destinationTitle: 'Lo que usted eligió',
    name: 'Nombre',
    accountEnding: 'Cuenta',
    submittedAt: 'Confirmado el',
    endingIn: 'termina en {ending}',
    keepTitle: 'Guarde el correo, no esta página',
    keep: 'Esta página no se puede guardar en los marcadores. Para ver cómo va su pago, vuelva a abrir el enlace de su correo. No se lo reenvíe a nadie.',
    refresh: 'Comprobar de nuevo',
    questions: 'Si tiene preguntas sobre este pago, diríjase a {organisation}.',
  },
  gone: {
    unknownOrganisation: 'quien le envía el dinero',
    ask: 'Pedir un nuevo enlace',
    reload: 'También puede volver a cargar esta página dentro de un momento: lo que ha escrito no se pierde.',
    askHint:
      'Avisaremos a {organisation} de que necesita un nuevo enlace. Si {organisation} envía uno, le llegará por correo.',
    asked:
      'Hemos avisado a {organisation}, el {at}, de que necesita un nuevo enlace. Si {organisation} envía uno, le llegará por correo.',
    EXPIRED: {
      title: 'Este enlace ha caducado',
      paragraphs: [
        'Solo se podía usar durante un tiempo limitado, y ese tiempo ha terminado.',
        'Pida un nuevo enlace a {organisation}.',
      ],
    },
    CANCELLED: {
      title: 'Este pago se ha cancelado',
      paragraphs: ['El enlace ya no lleva a ningún dinero. Si no lo esperaba, pregunte a {organisation}.'],
    },
    SUPERSEDED: {
      title: 'Hay un enlace más reciente',
      paragraphs: [
        'Le hemos enviado un correo más reciente, y solo funciona el enlace del último.',
        'Búsquelo en su buzón, también en la carpeta de correo no deseado. Si no está allí, pregunte a {organisation}.',
      ],
    },
    READDRESSED: {
      title: 'Este enlace ya no funciona',
      paragraphs: [
        'Se ha sustituido, y con él ya no se puede elegir nada.',
        'Si espera dinero, pregunte a {organisation} por una vía que ya conozca.',
      ],
    },
    SPENT: {
      title: 'No se pueden enviar más códigos para este enlace',
      paragraphs: [
        'Si la página en la que escribió sus datos sigue abierta, puede escribir allí el último código.',
        'Si no, necesita un nuevo enlace: pídalo a {organisation}. Si no pidió usted todos los códigos, dígalo también: otra persona puede tener su enlace.',
      ],
    },
    UNKNOWN: {
      title: 'Este enlace no funciona',
      paragraphs: [
        'Está incompleto, o no es nuestro.',
        'Vuelva a abrir el correo y use su botón, o copie el enlace completo.',
        'Si eso no ayuda, pregunte a {organisation}.',
      ],
    },
    UNAVAILABLE: {
      title: 'Vuelva a intentarlo más tarde',
      paragraphs: [
        'En este momento no podemos responder. Esto no afecta a su dinero.',
        'Vuelva a abrir el enlace de su correo dentro de unos minutos: le mostrará por dónde va.',
      ],
    },
  },
};
