import type { MailTexts } from '../mailTexts.ts';

/** The e-mails in German. */
export const MAIL: MailTexts = {
  greeting: 'Guten Tag,',
  greetingByName: 'Guten Tag {name},',
  linkFirst: {
    subject: '{organisation} sendet Ihnen eine Zahlung',
    opening: '{organisation} sendet Ihnen {amount}.',
  },
  linkReplaced: {
    subject: 'Ein neuer Link für Ihre Zahlung von {organisation}',
    opening:
      'Hier ist ein neuer Link für die {amount}, die {organisation} Ihnen sendet. Der Link in unserer letzten E-Mail gilt nicht mehr.',
  },
  linkReissued: {
    subject: 'Ihre Zahlung von {organisation} wartet auf Sie',
    opening:
      '{organisation} sendet Ihnen {amount}. Der frühere Link gilt nicht mehr; dieser tritt an seine Stelle.',
  },
  linkReopened: {
    subject: 'Bitte prüfen Sie, wohin Ihre Zahlung von {organisation} gehen soll',
    opening:
      'Die {amount}, die {organisation} Ihnen sendet, konnten nicht an das von Ihnen gewählte Ziel ausgezahlt werden. Bitte geben Sie die Angaben noch einmal ein oder wählen Sie ein anderes Ziel.',
  },
  link: {
    steps:
      'Öffnen Sie den Link unten, wählen Sie, wohin das Geld gehen soll, und geben Sie die nötigen Angaben ein. Wir senden dann einen sechsstelligen Code an diese E-Mail-Adresse; geben Sie ihn zur Bestätigung ein.',
    button: 'Auszahlung wählen',
    copy: 'Oder kopieren Sie diese Adresse in Ihren Browser:',
    until:
      'Der Link gilt bis {expires}. Er ist nur für Sie bestimmt: Bitte leiten Sie diese E-Mail nicht weiter.',
    site: 'Die Seite finden Sie unter {site}. Prüfen Sie, dass Ihr Browser diesen Namen zeigt, bevor Sie etwas eingeben.',
    message: 'Nachricht von {organisation}:',
    unexpected:
      'Wenn Sie diese Zahlung nicht erwarten, müssen Sie nichts tun: Der Link läuft von selbst ab. Um sicherzugehen, fragen Sie {organisation} auf einem Weg, den Sie schon kennen, nicht als Antwort auf diese E-Mail.',
  },
  code: {
    subject: 'Ihr Code für die Zahlung von {organisation}',
    opening:
      'Für die {amount}, die {organisation} Ihnen sendet, wurden Angaben eingegeben. Um sie zu bestätigen, geben Sie diesen Code auf der Seite ein:',
    confirms: 'Was er bestätigt: {destination}.',
    until: 'Der Code gilt bis {expires}.',
    secret:
      'Geben Sie ihn nur unter {site} ein, auf der Seite, die nach den Angaben gefragt hat. Nennen Sie ihn niemandem.',
    unexpected:
      'Wenn Sie diese Angaben nicht eingegeben haben, verwenden Sie diesen Code nicht: Ohne ihn wird nichts ausgezahlt. Bitte sagen Sie {organisation} auf einem Weg, den Sie schon kennen, dass jemand anderes Ihren Link haben könnte.',
  },
  reminder: {
    subject: 'Erinnerung: Ihre Zahlung von {organisation} wartet auf Sie',
    opening: '{organisation} sendet Ihnen {amount}. Sie haben noch nicht gewählt, wohin das Geld gehen soll.',
    steps:
      'Öffnen Sie den Link in unserer letzten E-Mail zu dieser Zahlung. Er gilt bis {expires}. Wenn Sie diese E-Mail nicht finden, bitten Sie {organisation} um einen neuen Link.',
  },
  confirmation: {
    subject: 'Wir haben Ihre Angaben für die Zahlung von {organisation}',
    opening: 'Sie haben gewählt, wohin die {amount} von {organisation} gehen sollen: {destination}.',
    next: 'Die Zahlung wird vorbereitet. Sie müssen nichts weiter tun.',
    unexpected:
      'Wenn Sie das nicht gewählt haben, sagen Sie es {organisation} sofort, auf einem Weg, den Sie schon kennen.',
  },
  delivered: {
    subject: 'Ihre Zahlung von {organisation} ist ausgeführt',
    opening:
      'Die {amount} von {organisation} wurden an das von Ihnen gewählte Ziel ausgezahlt: {destination}.',
    next: 'Es kann eine Weile dauern, bis das Geld dort erscheint.',
    unexpected: 'Wenn das Geld nicht ankommt, fragen Sie {organisation}.',
  },
  destinations: {
    bank: 'Bankkonto, endet auf {ending}',
    wallet: 'Wallet {address}',
    emoney: 'Konto bei {provider}, endet auf {ending}',
  },
  endpoint: {
    failing: {
      subject: 'Ein Webhook-Endpunkt von {organisation} ist gestört',
      opening:
        'Seit dem {since} hat kein Ereignis von {organisation} ({environment}) den Webhook-Endpunkt {endpoint} bei {host} erreicht.',
      next: 'Ereignisse werden tagelang erneut gesendet, aber nach fünf Tagen mit Fehlern wird der Endpunkt abgeschaltet. GET /v1/webhook_endpoints/{endpoint}/deliveries zeigt, was sein Empfänger antwortet.',
    },
    recovered: {
      subject: 'Ein Webhook-Endpunkt von {organisation} arbeitet wieder',
      opening:
        'Der Webhook-Endpunkt {endpoint} von {organisation} ({environment}) bei {host} war gestört und hat am {at} wieder ein Ereignis angenommen.',
      next: 'Was auf einen weiteren Versuch wartet, wird von selbst gesendet. POST /v1/webhook_endpoints/{endpoint}/recover sendet es sofort, und auch, was endgültig gescheitert ist.',
    },
    gone: {
      subject: 'Ein Webhook-Endpunkt von {organisation} ist abgeschaltet',
      opening:
        'Der Webhook-Endpunkt {endpoint} von {organisation} ({environment}) bei {host} hat am {at} mit 410 geantwortet: Er will nichts mehr und bekommt nichts mehr.',
      next: 'Wenn das ein Versehen war, beheben Sie den Fehler bei seinem Empfänger; verwenden Sie dann POST /v1/webhook_endpoints/{endpoint}/enable und /recover für das, was er verpasst hat.',
    },
    disabled: {
      subject: 'Ein Webhook-Endpunkt von {organisation} ist abgeschaltet',
      opening:
        'Der Webhook-Endpunkt {endpoint} von {organisation} ({environment}) bei {host} war fünf Tage lang gestört und bekommt seit dem {at} nichts mehr.',
      next: 'Beheben Sie den Fehler bei seinem Empfänger; verwenden Sie dann POST /v1/webhook_endpoints/{endpoint}/enable und /recover für das, was er verpasst hat.',
    },
    footer:
      'Sie erhalten diese E-Mail, weil der Betreiber von {site} Ihre Adresse für die Webhooks von {organisation} hat. Antworten auf diese E-Mail werden nicht gelesen.',
  },
  neverAsked:
    'Niemand wird Sie nach einem Passwort, einem privaten Schlüssel oder einer Wiederherstellungsphrase fragen: nicht auf der Seite, nicht per E-Mail und nicht am Telefon.',
  contact: 'So erreichen Sie {organisation}:',
  footer: '{organisation} sendet diese Zahlung über {site}. Antworten auf diese E-Mail werden nicht gelesen.',
};
