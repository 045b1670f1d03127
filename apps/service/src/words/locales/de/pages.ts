import type { PageTexts } from '../pageTexts.ts';

/** The collect pages in German. */
export const PAGES: PageTexts = {
  common: {
    errorPrefix: 'Fehler',
    errorSummary: 'Bitte prüfen Sie Ihre Angaben',
    step: 'Schritt {step} von {steps}',
    pays: '{organisation} sendet Ihnen {amount}',
    safety:
      'Wir fragen Sie nie nach einem Passwort, einer PIN, einer Wiederherstellungsphrase oder einer Zahlung. Tut eine Seite das doch, schließen Sie sie: Es ist nicht unsere.',
    continue: 'Weiter',
    optional: 'freiwillig',
    chooseOne: 'Bitte wählen',
    range: '{least} bis {most}',
    contact: 'So erreichen Sie {organisation}:',
  },
  shell: {
    title: 'Ihre Zahlung abholen',
    explanation: 'Sie haben eine E-Mail mit einem Link bekommen, weil Geld für Sie bereitliegt.',
    label: 'Link aus Ihrer E-Mail',
    hint: 'Kopieren Sie den ganzen Link aus der E-Mail und fügen Sie ihn hier ein.',
    button: 'Öffnen',
    opening: 'Ihre Zahlung wird geöffnet …',
    pageOver:
      'Diese Seite kann nicht mehr gezeigt werden. Öffnen Sie den Link in Ihrer E-Mail noch einmal: Wenn Sie einen Code angefordert haben, geht es dort weiter.',
    noLink:
      'Der Link ist unvollständig. Kopieren Sie ihn noch einmal aus der E-Mail, von https:// bis zum Ende.',
  },
  destination: {
    title: '{organisation} sendet Ihnen {amount}',
    messageFrom: 'Nachricht von {organisation}',
    arrives: 'Das Geld kommt meist {time} nach Ihrer Bestätigung an.',
    until: 'Sie können bis {expires} wählen.',
    question: 'Wohin soll das Geld gehen?',
    walletHint:
      'Sie erhalten {amount} an Ihrer eigenen Adresse auf {chain}. Für alle, die schon eine Krypto-Wallet benutzen.',
    bankHint: 'Auf ein Konto, das auf Ihren Namen läuft.',
    bankHintIn: 'Auf ein Konto, das auf Ihren Namen läuft. Land: {country}.',
    emoneyHint: 'Auf ein E-Geld-Konto, etwa zum mobilen Bezahlen. Währung: {currency}.',
    country: 'Land des Bankkontos',
    chooseCountry: 'Land auswählen',
    nextTitle: 'Wie es weitergeht',
    next: [
      'Sie geben die Daten ein und prüfen sie.',
      'Wir senden Ihnen per E-Mail einen Code, damit niemand sonst Ihren Link benutzen kann.',
      '{organisation} zahlt das Geld dorthin, wo Sie es haben möchten.',
    ],
    askedAgain:
      'Wir fragen Sie noch einmal, weil die letzte Zahlung nicht geklappt hat. Ihr Ziel war: {destination}.',
    anewTitle: 'Bitte geben Sie Ihre Angaben noch einmal ein',
    anew: 'Mit diesem Link wurden verschiedene Angaben eingegeben, vielleicht von jemand anderem, der ihn hat. Die bisher gesendeten Codes gelten hier nicht. Wenn Sie Ihre Angaben nur einmal eingegeben haben, sagen Sie es {organisation}.',
    noType: 'Wählen Sie aus, wohin das Geld gehen soll.',
    noCountry: 'Wählen Sie das Land Ihres Bankkontos aus.',
  },
  types: { wallet: 'Krypto-Wallet ({token} auf {chain})', bank: 'Bankkonto', emoney: 'E-Geld-Konto' },
  details: {
    walletTitle: 'Ihre Wallet',
    bankTitle: 'Ihr Bankkonto ({country})',
    emoneyTitle: 'Ihr E-Geld-Konto',
    walletNote:
      'Das Geld wird als {token} auf {chain} gesendet. Geben Sie eine Adresse an, die Sie in diesem Netzwerk benutzen können. Gehört sie zu einer Börse, muss die Börse Einzahlungen von {token} auf {chain} annehmen.',
    changeChoice: 'Anderes Ziel wählen',
    useWallet: 'Browser-Wallet benutzen',
    useWalletHint: 'Es wird nur Ihre Adresse gelesen. Sie unterschreiben nichts und zahlen nichts.',
    useWalletNamed: 'Adresse aus {wallet} übernehmen',
    walletAsked: 'Bitte antworten Sie in Ihrer Wallet.',
    walletTaken: 'Die Adresse ist eingetragen. Vergleichen Sie sie mit der in Ihrer Wallet.',
    walletRefused: 'Die Wallet hat keine Adresse genannt. Sie können sie stattdessen einfügen.',
    missing: 'Diese Angabe fehlt: {label}.',
    wrong: '{label}: Das stimmt noch nicht. {hint}',
    mistyped: '{label}: Hier ist ein Tippfehler. Vergleichen Sie jedes Zeichen.',
    mistypedAddress:
      'Die Wallet-Adresse enthält einen Tippfehler: Groß- und Kleinbuchstaben passen nicht zusammen. Kopieren Sie sie noch einmal aus Ihrer Wallet.',
    refusedAddress:
      'Diese Adresse kann Ihr Geld nicht empfangen: Sie gehört zu einem Token oder einem anderen Vertrag, oder niemandem. Geben Sie die Adresse Ihrer eigenen Wallet an.',
    otherMistake: 'Hier passt etwas nicht zusammen. Bitte wählen Sie das Ziel noch einmal.',
  },
  fields: {
    'wallet.address': {
      label: 'Wallet-Adresse',
      hint: 'Sie beginnt mit 0x, danach folgen 40 Ziffern und Buchstaben von a bis f. Kopieren Sie sie am besten aus Ihrer Wallet.',
    },
    'wallet.name': { label: 'Vollständiger Name', hint: 'Der Name der Person, der die Wallet gehört.' },
    'bank.name': { label: 'Kontoinhaber/in', hint: 'Der vollständige Name, wie Ihre Bank ihn kennt.' },
    'bank.account.bsb': { label: 'BSB', hint: 'Sechs Ziffern, mit oder ohne Bindestrich.' },
    'bank.account.accountNumber': {
      label: 'Kontonummer',
      hint: '{length} Ziffern, auch Nullen am Anfang.',
    },
    'bank.account.accountNumber.mixed': { label: 'Kontonummer', hint: '{length} Buchstaben oder Ziffern.' },
    'bank.account.routingNumber': {
      label: 'Routing Number',
      hint: 'Die neun Ziffern der ABA Routing Number; sie stehen unten links auf einem Scheck.',
    },
    'bank.account.accountType': {
      label: 'Art des Kontos',
      hint: 'Im Zweifel kann Ihre Bank es Ihnen sagen.',
    },
    'bank.account.sortCode': { label: 'Sort Code', hint: 'Sechs Ziffern, mit oder ohne Bindestriche.' },
    'bank.account.ifsc': {
      label: 'IFSC',
      hint: 'Vier Buchstaben, eine Null und sechs Buchstaben oder Ziffern. Er steht im Scheckheft und im Sparbuch.',
    },
    'bank.account.clabe': { label: 'CLABE', hint: '18 Ziffern. Sie steht auf Ihrem Kontoauszug.' },
    'bank.account.institutionNumber': { label: 'Institution Number', hint: 'Drei Ziffern.' },
    'bank.account.transitNumber': { label: 'Transit Number', hint: 'Fünf Ziffern.' },
    'bank.account.iban': {
      label: 'IBAN',
      hint: 'Sie beginnt mit {prefix} und hat {length} Zeichen; Leerzeichen spielen keine Rolle.',
    },
    'bank.account.iban.CH': {
      label: 'IBAN',
      hint: 'Sie beginnt mit {prefix} und hat {length} Zeichen; Leerzeichen spielen keine Rolle. Eine QR-IBAN ist nicht möglich.',
    },
    'bank.account.iban.LI': {
      label: 'IBAN',
      hint: 'Sie beginnt mit {prefix} und hat {length} Zeichen; Leerzeichen spielen keine Rolle. Eine QR-IBAN ist nicht möglich.',
    },
    'bank.account.bic': {
      label: 'BIC (SWIFT-Code)',
      hint: '8 oder 11 Buchstaben und Ziffern. Er steht auf Ihrem Kontoauszug.',
    },
    'emoney.name': { label: 'Inhaber/in', hint: 'Der vollständige Name, wie der Anbieter ihn kennt.' },
    'emoney.provider': { label: 'Anbieter', hint: 'Das Unternehmen, bei dem Sie das E-Geld-Konto haben.' },
    'emoney.idType': {
      label: 'Woran der Anbieter Sie erkennt',
      hint: 'Was Sie anderen nennen, die Ihnen Geld senden möchten.',
    },
    'emoney.idValue.PHONE': { label: 'Telefonnummer', hint: 'Mit + und der Landesvorwahl am Anfang.' },
    'emoney.idValue.EMAIL': {
      label: 'E-Mail-Adresse',
      hint: 'Die Adresse, mit der Sie dort angemeldet sind.',
    },
    'emoney.idValue.ACCOUNT_ID': {
      label: 'Konto-ID',
      hint: '4 bis 64 Zeichen, genau wie der Anbieter sie anzeigt.',
    },
  },
  words: {
    CHECKING: 'Girokonto (Checking)',
    SAVINGS: 'Sparkonto (Savings)',
    PHONE: 'Telefonnummer',
    EMAIL: 'E-Mail-Adresse',
    ACCOUNT_ID: 'Konto-ID',
  },
  masked: {
    bank: 'Bankkonto, endet auf {ending}',
    wallet: 'Wallet {address} auf {chain}',
    emoney: 'E-Geld-Konto, endet auf {ending}',
    emoneyEmail: 'E-Geld-Konto von {email}',
    emoneyOther: 'E-Geld-Konto',
  },
  failures: {
    ACCOUNT_NOT_FOUND:
      'Ein Konto mit diesen Angaben gibt es nicht. Prüfen Sie jede Ziffer oder wählen Sie ein anderes Ziel.',
    ACCOUNT_CLOSED: 'Das Konto ist aufgelöst. Wählen Sie ein anderes.',
    NAME_MISMATCH:
      'Der Name passte nicht zum Konto. Geben Sie ihn genau so ein, wie Ihre Bank oder Ihr Anbieter ihn kennt, oder wählen Sie ein anderes Ziel.',
    RAIL_UNAVAILABLE:
      'Eine solche Zahlung war zu der Zeit nicht möglich. Sie können dieselben Angaben noch einmal machen oder ein anderes Ziel wählen.',
    INSUFFICIENT_FUNDS:
      'An Ihren Angaben lag es nicht. Sie können sie noch einmal machen oder ein anderes Ziel wählen.',
    RETURNED:
      'Das Geld wurde gesendet und kam zurück. Prüfen Sie Ihre Angaben oder wählen Sie ein anderes Ziel.',
    OTHER: 'Die Zahlung dorthin war nicht möglich. Prüfen Sie Ihre Angaben oder wählen Sie ein anderes Ziel.',
  },
  review: {
    title: 'Bitte prüfen Sie Ihre Angaben',
    explanation:
      'Das Geld geht genau dorthin, wo Sie es hier angeben. Eine falsche Zahlung lässt sich oft nicht rückgängig machen.',
    receives: 'Sie erhalten',
    from: 'Von',
    destination: 'Ziel',
    country: 'Land',
    contract: 'Vertrag des Tokens',
    chain: 'Netzwerk',
    arrival: 'Ankunft',
    arrivalText: 'meist {time} nach Ihrer Bestätigung',
    currency: 'Währung',
    addressCheck: 'Vergleichen Sie jede Gruppe mit der Adresse in Ihrer Wallet.',
    warning:
      'Eine Zahlung auf {chain} lässt sich nicht zurückholen. Geld an eine falsche Adresse ist verloren.',
    confirmation: 'Ich habe die ganze Adresse verglichen und kann dort {token} auf {chain} benutzen.',
    notConfirmed: 'Bestätigen Sie, dass Sie die Adresse verglichen haben.',
    codeNote:
      'Als Nächstes senden wir einen Code an {email}. Ihre Angaben gelten erst, wenn Sie ihn eingegeben haben.',
    button: 'Alles richtig, Code senden',
    change: 'Etwas ändern',
    tooSoon: 'In {wait} können Sie einen neuen Code anfordern.',
    tooMany:
      'Für diesen Link kann kein weiterer Code gesendet werden. Bitten Sie {organisation} um einen neuen Link.',
  },
  code: {
    title: 'Geben Sie den Code aus der E-Mail ein',
    sent: 'Wir haben einen 6-stelligen Code an {email} gesendet.',
    why: 'So stellen wir sicher, dass nur Sie bestimmen, wohin das Geld geht. Geben Sie ihn nicht weiter.',
    confirms: 'Der Code bestätigt',
    sentAt: 'Code gesendet',
    keptTitle: 'Haben Sie das selbst eingegeben?',
    kept: 'Über Ihren Link wurden Angaben eingegeben, und sie warten auf den Code aus Ihrer E-Mail. Wenn Sie das waren, machen Sie hier weiter. Wenn nicht, verwenden Sie den Code nicht: Ohne ihn gelten die Angaben nicht.',
    own: 'Ja, das habe ich selbst eingegeben: {destination}',
    notOwn: 'Kreuzen Sie an, dass Sie das eingegeben haben. Wenn nicht, wählen Sie unten neu.',
    notMineTitle: 'Nicht Ihre Angaben?',
    notMine:
      'Ohne den Code gelten sie nicht, verwenden Sie ihn also nicht. Wählen Sie neu, mit Ihren eigenen Angaben, und sagen Sie {organisation} Bescheid: Vielleicht hat jemand anderes Ihren Link.',
    chooseAgain: 'Das sind nicht meine Angaben: neu wählen',
    notMineSpent:
      'Ohne den Code gelten sie nicht, verwenden Sie ihn also nicht. Fordern Sie oben einen neuen Link an, und sagen Sie {organisation} Bescheid: Vielleicht hat jemand anderes Ihren Link.',
    replacedHere:
      'Nach Ihren Angaben wurden andere eingegeben, und der neueste Code gehört zu diesen. Für Ihre Angaben brauchen Sie einen neuen Code.',
    validFor: 'Er gilt zehn Minuten.',
    label: 'Code',
    hint: 'Sechs Ziffern.',
    attemptsLeft: 'Verbleibende Versuche: {count}.',
    button: 'Bestätigen',
    spentTitle: 'Ihr Code gilt nicht mehr',
    spentHint: 'Sie brauchen einen neuen Code. Wir können ihn jetzt an dieselbe E-Mail-Adresse senden.',
    spentHintIn: 'Sie brauchen einen neuen Code. In {wait} können Sie ihn anfordern.',
    resendTitle: 'Keine E-Mail bekommen?',
    resendHint:
      'Es kann ein paar Minuten dauern. Sehen Sie auch im Spam-Ordner nach. Ein neuer Code ersetzt den alten.',
    resend: 'Neuen Code senden',
    resent: 'Ein neuer Code ist unterwegs an {email}. Der alte gilt nicht mehr.',
    noMoreCodesShort: 'Für diesen Link kann kein weiterer Code gesendet werden.',
    noMoreCodes:
      'Für diesen Link kann kein weiterer Code gesendet werden. Bitten Sie {organisation} um einen neuen Link.',
    startAgain: 'Ziel ändern',
    malformed: 'Der Code hat sechs Ziffern. Geben Sie alle ein.',
    wrong: 'Das ist nicht der Code, den wir zuletzt für diese Angaben gesendet haben.',
    expired: 'Dieser Code ist abgelaufen.',
    noAttempts: 'Der Code war zu oft falsch.',
    tooSoon:
      'Eben wurde ein Code gesendet. Er gilt nur für die Angaben, für die er gesendet wurde. In {wait} können Sie einen neuen anfordern.',
  },
  receipt: {
    amount: 'Betrag',
    statusTitle: 'Stand',
    status: {
      PENDING: {
        word: 'Noch nicht gezahlt',
        title: 'Danke. Ihre Angaben sind angekommen.',
        next: 'Sie müssen nichts weiter tun. {organisation} veranlasst jetzt die Zahlung an das Ziel, das Sie gewählt haben.',
      },
      SENT: {
        word: 'Unterwegs',
        title: 'Ihr Geld ist unterwegs',
        next: 'Sie müssen nichts weiter tun. Wie lange es dauert, hängt vom Ziel ab.',
      },
      DELIVERED: {
        word: 'Gezahlt',
        title: 'Ihr Geld wurde ausgezahlt',
        next: 'Falls Sie es nicht sehen, fragen Sie bei {organisation} nach.',
      },
      FAILED: {
        word: 'Fehlgeschlagen',
        title: 'Die Zahlung hat nicht geklappt',
        next: 'Das Geld konnte nicht an das gewählte Ziel gezahlt werden. Sie bekommen eine E-Mail mit einem neuen Link, um die Angaben zu berichtigen oder ein anderes Ziel zu wählen.',
      },
      RETURNED: {
        word: 'Zurückgekommen',
        title: 'Die Zahlung kam zurück',
        next: 'Das Geld war gezahlt und ging dann an {organisation} zurück. Bitte fragen Sie bei {organisation} nach, wie es weitergeht.',
      },
    },
    occurredAt: {
      SENT: 'Gesendet am',
      DELIVERED: 'Gezahlt am',
      FAILED: 'Fehlgeschlagen am',
      RETURNED: 'Zurückgekommen am',
    },
    expectedBy: 'Erwartet bis',
    late: 'Es dauert länger als üblich. Wenn Sie wissen möchten, warum: Fragen Sie {organisation}.',
    transaction: 'Transaktion',
    explorer: 'Auf {site} ansehen',
    paidAmount: 'Gezahlter Betrag',
    convertedAmount: 'Umgerechneter Betrag',
    reference: 'Referenz',
    destinationTitle: 'Was Sie gewählt haben',
    name: 'Name',
    accountEnding: 'Konto',
    submittedAt: 'Bestätigt am',
    endingIn: 'endet auf {ending}',
    keepTitle: 'Heben Sie die E-Mail auf, nicht diese Seite',
    keep: 'Diese Seite lässt sich nicht als Lesezeichen speichern. Um den Stand zu sehen, öffnen Sie den Link in Ihrer E-Mail noch einmal. Leiten Sie ihn nicht weiter.',
    refresh: 'Stand neu abfragen',
    questions: 'Fragen zu dieser Zahlung beantwortet {organisation}.',
  },
  gone: {
    unknownOrganisation: 'der Stelle, die Ihnen Geld senden möchte,',
    ask: 'Neuen Link anfordern',
    reload: 'Oder laden Sie diese Seite gleich noch einmal: Ihre Eingaben gehen nicht verloren.',
    askHint:
      'Wir sagen {organisation} dann, dass Sie einen neuen Link brauchen. Wenn {organisation} einen sendet, kommt er per E-Mail.',
    asked:
      'Wir haben {organisation} am {at} gesagt, dass Sie einen neuen Link brauchen. Wenn {organisation} einen sendet, kommt er per E-Mail.',
    EXPIRED: {
      title: 'Dieser Link ist abgelaufen',
      paragraphs: [
        'Er galt nur für begrenzte Zeit, und die ist vorbei.',
        'Fragen Sie bei {organisation} nach einem neuen Link.',
      ],
    },
    CANCELLED: {
      title: 'Diese Zahlung wurde zurückgezogen',
      paragraphs: [
        'Der Link führt nicht mehr zu Geld. Wenn Sie das nicht erwartet haben, fragen Sie bei {organisation} nach.',
      ],
    },
    SUPERSEDED: {
      title: 'Es gibt einen neueren Link',
      paragraphs: [
        'Sie haben eine neuere E-Mail bekommen. Nur der Link in der neuesten funktioniert.',
        'Suchen Sie sie in Ihrem Postfach, auch im Spam-Ordner. Wenn sie nicht da ist, fragen Sie bei {organisation} nach.',
      ],
    },
    READDRESSED: {
      title: 'Dieser Link funktioniert nicht mehr',
      paragraphs: [
        'Er wurde ersetzt, und mit ihm lässt sich nichts mehr wählen.',
        'Wenn Sie Geld erwarten, fragen Sie bei {organisation} nach, auf einem Weg, den Sie schon kennen.',
      ],
    },
    SPENT: {
      title: 'Für diesen Link kann kein weiterer Code gesendet werden',
      paragraphs: [
        'Wenn die Seite noch offen ist, auf der Sie Ihre Angaben eingegeben haben, können Sie dort den neuesten Code eingeben.',
        'Sonst brauchen Sie einen neuen Link: Fragen Sie bei {organisation} danach. Wenn Sie nicht alle Codes selbst angefordert haben, sagen Sie auch das: Vielleicht hat jemand anderes Ihren Link.',
      ],
    },
    UNKNOWN: {
      title: 'Dieser Link funktioniert nicht',
      paragraphs: [
        'Er ist unvollständig oder stammt nicht von uns.',
        'Öffnen Sie die E-Mail noch einmal und benutzen Sie die Schaltfläche darin, oder kopieren Sie den ganzen Link.',
        'Wenn das nicht hilft, fragen Sie bei {organisation} nach.',
      ],
    },
    UNAVAILABLE: {
      title: 'Bitte versuchen Sie es später noch einmal',
      paragraphs: [
        'Wir können im Moment nicht antworten. Ihr Geld ist davon nicht betroffen.',
        'Öffnen Sie den Link in Ihrer E-Mail in einigen Minuten noch einmal: Er zeigt, wie weit Sie sind.',
      ],
    },
  },
};
