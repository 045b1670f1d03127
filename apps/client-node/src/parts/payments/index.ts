export { createAnnouncer } from './announce.ts';
export { paymentAnswer, type PaymentParts, readingOfPlan, takePayment } from './executePayment.ts';
export { startPaymentWork } from './work.ts';
