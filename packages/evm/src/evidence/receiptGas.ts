/** What the gas of a transaction was: its units, and what it cost in wei of the native currency, where that is known. */
export type ReceiptGas = { readonly units: bigint; readonly costWei?: bigint };

/** The members of a receipt that say what the transaction cost. */
const MEMBERS = [
  'gasUsed',
  'effectiveGasPrice',
  'l1Fee',
  'blobGasUsed',
  'operatorFeeScalar',
  'operatorFeeConstant',
] as const;

type Member = (typeof MEMBERS)[number];

/** A quantity; nothing where the receipt has no such member, and NONSENSE where it has something else there. */
type Said = bigint | 'NOTHING' | 'NONSENSE';

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
/** More units than any block has, and more wei than there are. Below them nothing overflows. */
const [TOO_MANY_UNITS, TOO_MUCH_WEI] = [2n ** 64n, 2n ** 96n];

/**
 * The gas that a receipt tells; undefined where it tells none. Some nodes leave these members out, and no evidence
 * depends on them. So no value in them is an error. On chains of the OP stack, `l1Fee` is paid beside the gas. A
 * transaction with other fees, of blobs or of an operator, has no known cost.
 */
export function gasOf(receipt: Readonly<Record<string, unknown>>): ReceiptGas | undefined {
  const said = saidOf(receipt);
  const { gasUsed: units, effectiveGasPrice: price } = said;
  if (typeof units !== 'bigint' || units === 0n || units >= TOO_MANY_UNITS) return undefined;
  const l1Fee = said.l1Fee === 'NOTHING' ? 0n : said.l1Fee;
  const others = [said.blobGasUsed, said.operatorFeeScalar, said.operatorFeeConstant];
  const isWhole = others.every((fee) => fee === 'NOTHING' || fee === 0n);
  if (!isWhole || !isWei(price) || !isWei(l1Fee)) return { units };
  return { units, costWei: units * price + l1Fee };
}

/** What a receipt says of gas, as a text: receipts with equal texts say the same. */
export function gasText(receipt: Readonly<Record<string, unknown>>): string {
  return Object.values(saidOf(receipt)).join(' ');
}

/** The receipt without what it says of gas. */
export function withoutGas(receipt: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names: ReadonlySet<string> = new Set(MEMBERS);
  return Object.fromEntries(Object.entries(receipt).filter(([name]) => !names.has(name)));
}

function saidOf(receipt: Readonly<Record<string, unknown>>): Readonly<Record<Member, Said>> {
  const entries = MEMBERS.map((name) => [name, quantityIn(receipt[name])]);
  return Object.fromEntries(entries) as Record<Member, Said>;
}

function quantityIn(value: unknown): Said {
  if (value === undefined || value === null) return 'NOTHING';
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : 'NONSENSE';
}

function isWei(said: Said): said is bigint {
  return typeof said === 'bigint' && said < TOO_MUCH_WEI;
}
