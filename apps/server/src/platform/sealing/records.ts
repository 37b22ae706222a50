import { anyAddress } from '@fairtick/protocol/addresses';
import { accountKey } from '@fairtick/protocol/bank-accounts';
import type { Queryable } from '../db/database.ts';
import type { Binding, KeyRing } from './key-ring.ts';

export interface Identity {
  readonly realName: string;
  readonly idCountry: string | null;
  readonly idType: string;
  readonly idNumber: string;
  readonly idAddress: string;
  readonly currentAddress: string;
}

/** A card, or an account: only an account has a country. */
export interface BankCard {
  readonly holder: string;
  readonly bank: string;
  /** Empty: an account without one. */
  readonly branch: string;
  /** The number of the card or the account, or the account's IBAN. */
  readonly cardNumber: string;
  readonly country?: string;
  /** Absent: a card, or an account with an IBAN. */
  readonly bankCode?: string;
}

export interface WithdrawalPassword {
  readonly hash: string;
}

export interface Words {
  readonly text: string;
}

export interface CallForHelp {
  readonly contact: string;
  readonly text: string;
}

export interface Sealed {
  readonly verifications: Identity;
  readonly bank_cards: BankCard;
  readonly crypto_addresses: { readonly address: string };
  readonly withdrawal_passwords: WithdrawalPassword;
  readonly chat_messages: Words;
  readonly chat_notes: Words;
  readonly recovery_requests: CallForHelp;
  readonly vendor_events: Words;
}
export type SealedTable = keyof Sealed;

/** People write these differently each time. */
const squeezed = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

export const FINDERS = {
  document: (number: string) => squeezed(number),
  name: (name: string) => squeezed(name),
  card: (number: string) => squeezed(number),
  // On Ethereum the letters' case is only a checksum; in other addresses it matters.
  address: (text: string) => {
    const address = anyAddress(text);
    return /^0x/i.test(address) ? address.toLowerCase() : address;
  },
} as const;
export type Finder = keyof typeof FINDERS;

export function cardKey({ country = '', bankCode = '', cardNumber }: BankCard): string {
  return accountKey({ country, bankCode, number: cardNumber });
}

export const INDEXED: {
  readonly [T in SealedTable]: Readonly<Record<string, readonly [Finder, (plain: Sealed[T]) => string]>>;
} = {
  verifications: {
    document_index: ['document', ({ idNumber }) => idNumber],
    name_index: ['name', ({ realName }) => realName],
  },
  bank_cards: { number_index: ['card', cardKey] },
  crypto_addresses: { address_index: ['address', ({ address }) => address] },
  withdrawal_passwords: {},
  chat_messages: {},
  chat_notes: {},
  recovery_requests: {},
  vendor_events: {},
};

/** The binding of a call for help. Its caller is no known customer. */
export const callBinding = (record: string) =>
  ({ table: 'recovery_requests', record, customer: '' }) as const;

/** The binding of a vendor's event, whose customer may be unknown. */
export const eventBinding = (record: string) => ({ table: 'vendor_events', record, customer: '' }) as const;

export async function nextRecord(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ id: string }>(`select nextval('personal_data_ids') as id`);
  return (rows[0] as { id: string }).id;
}

export function sealRecord<T extends SealedTable>(
  keys: KeyRing,
  binding: Binding & { table: T },
  plain: Sealed[T],
): Buffer {
  return keys.seal(Buffer.from(JSON.stringify(plain)), binding);
}

export function openRecord<T extends SealedTable>(
  keys: KeyRing,
  binding: Binding & { table: T },
  sealed: Buffer,
): Sealed[T] {
  return JSON.parse(keys.open(sealed, binding).toString());
}

export const indexOf = (keys: KeyRing, finder: Finder, text: string): Buffer =>
  keys.index(finder, FINDERS[finder](text));

export const indicesOf = (keys: KeyRing, finder: Finder, text: string): Buffer[] =>
  keys.indices(finder, FINDERS[finder](text));
