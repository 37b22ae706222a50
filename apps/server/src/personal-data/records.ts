import type { Queryable } from '../db/database.ts';
import type { Binding, KeyRing } from './key-ring.ts';

/** What is sealed, table by table, and what it is found by. */
export interface Identity {
  readonly realName: string;
  readonly idCountry: string | null;
  readonly idType: string;
  readonly idNumber: string;
  readonly idAddress: string;
  readonly currentAddress: string;
}

export interface BankCard {
  readonly holder: string;
  readonly bank: string;
  readonly branch: string;
  readonly cardNumber: string;
}

export interface CryptoAddress {
  readonly address: string;
}

export interface PayWord {
  /** argon2id. */
  readonly hash: string;
}

/** What somebody wrote in a conversation with support, or about it. */
export interface Words {
  readonly text: string;
}

export interface Sealed {
  readonly verifications: Identity;
  readonly bank_cards: BankCard;
  readonly crypto_addresses: CryptoAddress;
  readonly pay_words: PayWord;
  readonly chat_messages: Words;
  readonly chat_notes: Words;
}
export type SealedTable = keyof Sealed;

/** Without what people write differently each time: case, width, spaces and what stands between. */
const squeezed = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Names of indices, and the text that is looked for under each. */
export const FINDERS = {
  document: (number: string) => squeezed(number),
  name: (name: string) => squeezed(name),
  card: (number: string) => number.replaceAll(/\D/g, ''),
  // On Ethereum the letters' case is a checksum and no part of the address; elsewhere it is.
  address: (address: string) => (/^0x/i.test(address.trim()) ? address.trim().toLowerCase() : address.trim()),
} as const;
export type Finder = keyof typeof FINDERS;

/** The index columns of each table and what they are made of. */
export const INDEXED: {
  readonly [T in SealedTable]: Readonly<Record<string, readonly [Finder, (plain: Sealed[T]) => string]>>;
} = {
  verifications: {
    document_index: ['document', ({ idNumber }) => idNumber],
    name_index: ['name', ({ realName }) => realName],
  },
  bank_cards: { number_index: ['card', ({ cardNumber }) => cardNumber] },
  crypto_addresses: { address_index: ['address', ({ address }) => address] },
  pay_words: {},
  chat_messages: {},
  chat_notes: {},
};

/** A number for a record that is about to be sealed. */
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

/** @throws SealError */
export function openRecord<T extends SealedTable>(
  keys: KeyRing,
  binding: Binding & { table: T },
  sealed: Buffer,
): Sealed[T] {
  return JSON.parse(keys.open(sealed, binding).toString());
}

/** Under the key that values are sealed with now. */
export const indexOf = (keys: KeyRing, finder: Finder, text: string): Buffer =>
  keys.index(finder, FINDERS[finder](text));

/** Under every key: what a search has to ask for. */
export const indicesOf = (keys: KeyRing, finder: Finder, text: string): Buffer[] =>
  keys.indices(finder, FINDERS[finder](text));
