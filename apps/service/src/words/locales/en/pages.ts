import type { PageTexts } from '../pageTexts.ts';

/** The collect pages in English. */
export const PAGES: PageTexts = {
  common: {
    errorPrefix: 'Error',
    errorSummary: 'Please check what you entered',
    step: 'Step {step} of {steps}',
    pays: '{organisation} is sending you {amount}',
    safety:
      'We never ask you for a password, a PIN, a recovery phrase or a payment. If a page does, close it: it is not ours.',
    continue: 'Continue',
    optional: 'optional',
    chooseOne: 'Choose one',
    range: '{least} to {most}',
    contact: 'How to reach {organisation}:',
  },
  shell: {
    title: 'Collect your payment',
    explanation: 'Someone has sent you an e-mail with a link to money that is waiting for you.',
    label: 'Link from your e-mail',
    hint: 'Copy the whole link from the e-mail and paste it here.',
    button: 'Open',
    opening: 'Opening your payment …',
    pageOver:
      'This page can no longer be shown. Open the link in your e-mail again: if you have asked for a code, you go on there.',
    noLink: 'This is not a complete link. Copy it again from the e-mail, from https:// to its end.',
  },
  destination: {
    title: '{organisation} is sending you {amount}',
    messageFrom: 'Message from {organisation}',
    arrives: 'The money usually arrives {time} after you have confirmed.',
    until: 'You can choose until {expires}.',
    question: 'Where should the money go?',
    walletHint:
      'You get {amount} at your own address on {chain}. For people who already use a crypto wallet.',
    bankHint: 'To an account in your name.',
    bankHintIn: 'To an account in your name. Country: {country}.',
    emoneyHint: 'To a mobile or online wallet that holds {currency}.',
    country: 'Country of the bank account',
    chooseCountry: 'Choose a country',
    nextTitle: 'What happens next',
    next: [
      'You give the details and check them.',
      'We e-mail you a code, so that nobody else can use your link.',
      '{organisation} pays the money to the place you chose.',
    ],
    askedAgain: 'We ask you again, because the last payment did not work. It was for: {destination}.',
    anewTitle: 'Please enter your details again',
    anew: 'More than one set of details was entered with this link, perhaps by someone else who has it. The codes sent up to now do not count here. If you entered yours only once, tell {organisation}.',
    noType: 'Choose where the money should go.',
    noCountry: 'Choose the country of your bank account.',
  },
  types: { wallet: 'Crypto wallet ({token} on {chain})', bank: 'Bank account', emoney: 'eMoney wallet' },
  details: {
    walletTitle: 'Your wallet',
    bankTitle: 'Your bank account ({country})',
    emoneyTitle: 'Your eMoney wallet',
    walletNote:
      'The money is sent as {token} on {chain}. Use an address that you can use on this network. If it belongs to an exchange, make sure that the exchange accepts deposits of {token} on {chain}.',
    changeChoice: 'Choose another destination',
    useWallet: 'Use my browser wallet',
    useWalletHint: 'Only your address is read. There is nothing to sign and nothing to pay.',
    useWalletNamed: 'Take the address from {wallet}',
    walletAsked: 'Answer the question in your wallet.',
    walletTaken: 'The address has been filled in. Compare it with the one in your wallet.',
    walletRefused: 'The wallet gave no address. You can paste it instead.',
    missing: '{label} is missing.',
    wrong: '{label} is not right yet. {hint}',
    mistyped: '{label} has a typing error. Compare every character.',
    mistypedAddress:
      'The wallet address has a typing error: its capital letters do not fit. Copy it again from your wallet.',
    refusedAddress:
      'This address cannot receive your money: it belongs to a token or another contract, or to nobody. Give the address of your own wallet.',
    otherMistake: 'Something does not fit together. Please choose your destination again.',
  },
  fields: {
    'wallet.address': {
      label: 'Wallet address',
      hint: 'It begins with 0x, and 40 digits and letters from a to f follow. Copy it from your wallet rather than typing it.',
    },
    'wallet.name': { label: 'Full name', hint: 'The name of the owner of the wallet.' },
    'bank.name': { label: 'Account holder', hint: 'The full name as your bank knows it.' },
    'bank.account.bsb': { label: 'BSB', hint: 'Six digits, with or without a hyphen.' },
    'bank.account.accountNumber': {
      label: 'Account number',
      hint: '{length} digits, with any zeros at the beginning.',
    },
    'bank.account.accountNumber.mixed': { label: 'Account number', hint: '{length} letters or digits.' },
    'bank.account.routingNumber': {
      label: 'Routing number',
      hint: 'The nine digits of the ABA routing number, at the bottom left of a check.',
    },
    'bank.account.accountType': { label: 'Account type', hint: 'Your bank can tell you which it is.' },
    'bank.account.sortCode': { label: 'Sort code', hint: 'Six digits, with or without hyphens.' },
    'bank.account.ifsc': {
      label: 'IFSC',
      hint: 'Four letters, a zero, and six letters or digits. It is in your cheque book and passbook.',
    },
    'bank.account.clabe': { label: 'CLABE', hint: '18 digits. It is on your bank statement.' },
    'bank.account.institutionNumber': { label: 'Institution number', hint: 'Three digits.' },
    'bank.account.transitNumber': { label: 'Transit number', hint: 'Five digits.' },
    'bank.account.iban': {
      label: 'IBAN',
      hint: 'It begins with {prefix} and has {length} characters; spaces do not matter.',
    },
    'bank.account.iban.CH': {
      label: 'IBAN',
      hint: 'It begins with {prefix} and has {length} characters; spaces do not matter. A QR-IBAN cannot be used.',
    },
    'bank.account.iban.LI': {
      label: 'IBAN',
      hint: 'It begins with {prefix} and has {length} characters; spaces do not matter. A QR-IBAN cannot be used.',
    },
    'bank.account.bic': {
      label: 'BIC (SWIFT code)',
      hint: '8 or 11 letters and digits. It is on your bank statement.',
    },
    'emoney.name': { label: 'Wallet holder', hint: 'The full name as the provider knows it.' },
    'emoney.provider': { label: 'Provider', hint: 'The name of the company that runs your wallet.' },
    'emoney.idType': {
      label: 'How the provider knows you',
      hint: 'By what you tell people who want to send you money.',
    },
    'emoney.idValue.PHONE': { label: 'Phone number', hint: 'With + and the country code at the beginning.' },
    'emoney.idValue.EMAIL': { label: 'E-mail address', hint: 'The one your wallet is registered with.' },
    'emoney.idValue.ACCOUNT_ID': {
      label: 'Account ID',
      hint: '4 to 64 characters, exactly as the provider shows it.',
    },
  },
  words: {
    CHECKING: 'Checking account',
    SAVINGS: 'Savings account',
    PHONE: 'Phone number',
    EMAIL: 'E-mail address',
    ACCOUNT_ID: 'Account ID',
  },
  masked: {
    bank: 'Bank account ending in {ending}',
    wallet: 'Wallet {address} on {chain}',
    emoney: 'eMoney wallet ending in {ending}',
    emoneyEmail: 'eMoney wallet of {email}',
    emoneyOther: 'eMoney wallet',
  },
  failures: {
    ACCOUNT_NOT_FOUND:
      'There is no account with the details that you gave. Check every digit, or choose another destination.',
    ACCOUNT_CLOSED: 'That account is closed. Choose another one.',
    NAME_MISMATCH:
      'The name did not fit the account. Enter it exactly as your bank or provider knows it, or choose another destination.',
    RAIL_UNAVAILABLE:
      'Such a payment was not possible at that time. You can give the same details again, or choose another destination.',
    INSUFFICIENT_FUNDS:
      'It was not because of your details. You can give them again, or choose another destination.',
    RETURNED: 'The money was sent, and it came back. Check your details, or choose another destination.',
    OTHER: 'The payment could not be made there. Check your details, or choose another destination.',
  },
  review: {
    title: 'Check your details',
    explanation:
      'The money goes exactly where you say here. A payment to a wrong place can often not be undone.',
    receives: 'You receive',
    from: 'From',
    destination: 'Destination',
    country: 'Country',
    contract: 'Token contract',
    chain: 'Network',
    arrival: 'Arrives',
    arrivalText: 'usually {time} after you have confirmed',
    currency: 'Currency',
    addressCheck: 'Compare every group with the address in your wallet.',
    warning: 'A payment on {chain} cannot be taken back. Money sent to a wrong address is lost.',
    confirmation: 'I have compared the whole address, and I can use {token} there on {chain}.',
    notConfirmed: 'Confirm that you have compared the address.',
    codeNote: 'Next we e-mail a code to {email}. Your details count only once you have entered it.',
    button: 'Correct, send me the code',
    change: 'Change something',
    tooSoon: 'You can ask for a new code in {wait}.',
    tooMany: 'No more codes can be sent for this link. Ask {organisation} to send you a new one.',
  },
  code: {
    title: 'Enter the code from your e-mail',
    sent: 'We have sent a 6-digit code to {email}.',
    why: 'It makes sure that it is you who chooses where the money goes. Give it to nobody.',
    confirms: 'The code confirms',
    sentAt: 'Code sent',
    keptTitle: 'Did you enter this yourself?',
    kept: 'Details were entered with your link, and they wait for the code from your e-mail. If you entered them, go on here. If not, do not use the code: without it they do not count.',
    own: 'Yes, I entered this myself: {destination}',
    notOwn: 'Tick that you entered these details. If you did not, choose again below.',
    notMineTitle: 'Not your details?',
    notMine:
      'Without the code they do not count, so do not use it. Choose again with your own details, and tell {organisation}: someone else may have your link.',
    chooseAgain: 'These are not my details: choose again',
    notMineSpent:
      'Without the code they do not count, so do not use it. Ask for a new link above, and tell {organisation}: someone else may have your link.',
    replacedHere:
      'Other details were entered after yours, and the newest code is for those. For your details you need a new code.',
    validFor: 'It works for ten minutes.',
    label: 'Code',
    hint: 'Six digits.',
    attemptsLeft: 'Attempts left: {count}.',
    button: 'Confirm',
    spentTitle: 'Your code no longer counts',
    spentHint: 'You need a new code. We can send it now, to the same e-mail address.',
    spentHintIn: 'You need a new code. You can ask for it in {wait}.',
    resendTitle: 'No e-mail?',
    resendHint:
      'It can take a few minutes. Look in your spam folder as well. A new code replaces the old one.',
    resend: 'Send a new code',
    resent: 'A new code is on its way to {email}. The old one no longer counts.',
    noMoreCodesShort: 'No more codes can be sent for this link.',
    noMoreCodes: 'No more codes can be sent for this link. Ask {organisation} to send you a new one.',
    startAgain: 'Change the destination',
    malformed: 'The code has six digits. Enter all of them.',
    wrong: 'That is not the code we sent last for these details.',
    expired: 'This code has run out.',
    noAttempts: 'The code was wrong too many times.',
    tooSoon:
      'A code has just been sent. It counts only for the details that it was sent for. You can ask for another in {wait}.',
  },
  receipt: {
    amount: 'Amount',
    statusTitle: 'Status',
    status: {
      PENDING: {
        word: 'Not paid yet',
        title: 'Thank you. Your details have arrived.',
        next: 'You need do nothing more. {organisation} now arranges the payment to the place you chose.',
      },
      SENT: {
        word: 'On its way',
        title: 'Your money is on its way',
        next: 'You need do nothing more. How long it takes depends on where it goes.',
      },
      DELIVERED: {
        word: 'Paid',
        title: 'Your money has been paid',
        next: 'If you cannot see it, ask {organisation}.',
      },
      FAILED: {
        word: 'Failed',
        title: 'The payment did not work',
        next: 'The money could not be paid to the place you chose. You will get an e-mail with a new link, to correct the details or to choose another place.',
      },
      RETURNED: {
        word: 'Returned',
        title: 'The payment came back',
        next: 'The money was returned to {organisation} after it had been paid. Please ask {organisation} what happens now.',
      },
    },
    occurredAt: {
      SENT: 'Sent on',
      DELIVERED: 'Paid on',
      FAILED: 'Failed on',
      RETURNED: 'Returned on',
    },
    expectedBy: 'Expected by',
    late: 'It is taking longer than usual. If you want to know why, ask {organisation}.',
    transaction: 'Transaction',
    explorer: 'See it at {site}',
    paidAmount: 'Amount paid',
    convertedAmount: 'Amount converted',
    reference: 'Reference',
    destinationTitle: 'What you chose',
    name: 'Name',
    accountEnding: 'Account',
    submittedAt: 'Confirmed on',
    endingIn: 'ending in {ending}',
    keepTitle: 'Keep your e-mail, not this page',
    keep: 'This page cannot be bookmarked. To see how things stand, open the link in your e-mail again. Forward it to nobody.',
    refresh: 'Check again',
    questions: 'Questions about this payment are answered by {organisation}.',
  },
  gone: {
    unknownOrganisation: 'whoever is sending you the money',
    ask: 'Ask for a new link',
    reload: 'Or reload this page in a moment: what you have entered is not lost.',
    askHint:
      'We then tell {organisation} that you need a new link. If {organisation} sends one, it comes by e-mail.',
    asked:
      'We have told {organisation} that you need a new link, on {at}. If {organisation} sends one, it comes by e-mail.',
    EXPIRED: {
      title: 'This link has expired',
      paragraphs: [
        'It could be used for a limited time only, and that time is over.',
        'Ask {organisation} to send you a new link.',
      ],
    },
    CANCELLED: {
      title: 'This payment was cancelled',
      paragraphs: ['The link no longer leads to money. Ask {organisation} if you did not expect this.'],
    },
    SUPERSEDED: {
      title: 'There is a newer link',
      paragraphs: [
        'A newer e-mail was sent to you, and only the link in the latest one works.',
        'Look for it in your mailbox, in the spam folder too. If it is not there, ask {organisation}.',
      ],
    },
    READDRESSED: {
      title: 'This link no longer works',
      paragraphs: [
        'It was replaced, and nothing can be chosen with it any more.',
        'If you expect money, ask {organisation}, in a way you already know.',
      ],
    },
    SPENT: {
      title: 'No more codes can be sent for this link',
      paragraphs: [
        'If the page where you entered your details is still open, you can enter the newest code there.',
        'Otherwise you need a new link: ask {organisation}. If you did not ask for all the codes yourself, say that too: someone else may have your link.',
      ],
    },
    UNKNOWN: {
      title: 'This link does not work',
      paragraphs: [
        'It is incomplete, or it was not made by us.',
        'Open the e-mail again and use its button, or copy the whole link.',
        'If that does not help, ask {organisation}.',
      ],
    },
    UNAVAILABLE: {
      title: 'Please try again later',
      paragraphs: [
        'We cannot answer at the moment. Your money is not affected.',
        'Open the link in your e-mail again in a few minutes: it shows how far you have come.',
      ],
    },
  },
};
