import {
  anyAddress,
  type CryptoAsset,
  type Network,
  readAddress,
  type TypedAddress,
} from '@fairtick/protocol/addresses';
import { readAccount, readCardNumber } from '@fairtick/protocol/bank-accounts';
import {
  type Client,
  failureOf,
  type Pool,
  type Queryable,
  transaction,
} from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import {
  type BankCard,
  cardKey,
  indexOf,
  indicesOf,
  nextRecord,
  openRecord,
  sealRecord,
} from '../../platform/sealing/records.ts';

const MAX_CARDS = 5;
const UNIQUE_VIOLATION = '23505';
const ASSETS: readonly CryptoAsset[] = ['USDT', 'BTC', 'ETH'];

/** A card or an account as its customer entered it. */
export interface TypedCard extends Omit<BankCard, 'country' | 'bankCode'> {
  readonly kind: 'card' | 'account';
  readonly country?: string | undefined;
  readonly bankCode?: string | undefined;
  /** The customer compared a number whose last digit is no check digit. */
  readonly isChecked: boolean;
}

/** A card or an account as shown to its owner: only the last four digits of its number. */
export interface ShownCard extends Omit<BankCard, 'cardNumber'> {
  readonly id: string;
  readonly last4: string;
}

/**
 * A customer's destinations of withdrawals: cards, accounts and addresses, sealed. A change adds a new row, so that a row's
 * content never changes.
 */
export class Destinations {
  readonly #pool: Pool;
  readonly #keys: KeyRing;

  constructor(parts: { pool: Pool; keys: KeyRing }) {
    this.#pool = parts.pool;
    this.#keys = parts.keys;
  }

  async cards(db: Queryable, customerId: string): Promise<ShownCard[]> {
    const { rows } = await db.query<{ id: string; card_id: string; sealed: Buffer; last4: string }>(
      'select id, card_id, sealed, last4 from bank_cards where customer_id = $1 and removed_at is null order by card_id',
      [customerId],
    );
    return rows.map((row) => {
      const { cardNumber: _shownAsLast4, ...card } = this.#card(row.id, customerId, row.sealed);
      return { id: row.card_id, ...card, last4: row.last4 };
    });
  }

  async addresses(db: Queryable, customerId: string): Promise<Record<CryptoAsset, string | null>> {
    const { rows } = await db.query<{ id: string; asset: CryptoAsset; sealed: Buffer }>(
      'select id, asset, sealed from crypto_addresses where customer_id = $1 and removed_at is null',
      [customerId],
    );
    const found = { USDT: null, BTC: null, ETH: null } as Record<CryptoAsset, string | null>;
    for (const { id, asset, sealed } of rows) found[asset] = this.#address(id, customerId, sealed);
    return found;
  }

  /** The opened content of row `id` of the view `destinations`, for payment or review; null when there is none. */
  async read(
    db: Queryable,
    customerId: string,
    id: string,
  ): Promise<
    { kind: 'bank'; card: BankCard } | { kind: 'crypto'; asset: CryptoAsset; address: string } | null
  > {
    const { rows } = await db.query<{ asset: CryptoAsset | null; sealed: Buffer | null }>(
      `select null as asset, sealed from bank_cards where id = $1 and customer_id = $2
       union all select asset, sealed from crypto_addresses where id = $1 and customer_id = $2`,
      [id, customerId],
    );
    const row = rows[0];
    if (!row?.sealed) return null;
    return row.asset === null
      ? { kind: 'bank', card: this.#card(id, customerId, row.sealed) }
      : { kind: 'crypto', asset: row.asset, address: this.#address(id, customerId, row.sealed) };
  }

  /**
   * Checks row `id` again before money goes there: the lists of {@link faultOf} may have grown since it was bound.
   * @throws RefusalError that names `field`, when nothing may be sent to it
   */
  async demandPayable(db: Queryable, customerId: string, id: string, field?: string): Promise<void> {
    const opened = await this.read(db, customerId, id);
    if (opened?.kind !== 'crypto') return;
    const fault = faultOf(readAddress(opened.asset, opened.address), await houseAddresses(db));
    if (fault) throw refusalOf(fault, field);
  }

  /** Whether staff verified this customer under the name of the card's holder; names are compared by their index. */
  async isVerifiedName(db: Queryable, customerId: string, holder: string): Promise<boolean> {
    const { rows } = await db.query<{ is_verified: boolean }>(
      `select exists (select from verifications
         where customer_id = $1 and state = 'verified' and name_index = any($2::bytea[])) as is_verified`,
      [customerId, indicesOf(this.#keys, 'name', holder)],
    );
    return rows[0]?.is_verified === true;
  }

  /** The indices under which rows of `destinations` with the same content are found, one per key. Empty: it was erased. */
  async indices(db: Queryable, customerId: string, id: string): Promise<Buffer[]> {
    const opened = await this.read(db, customerId, id);
    if (opened === null) return [];
    return opened.kind === 'bank'
      ? indicesOf(this.#keys, 'card', cardKey(opened.card))
      : indicesOf(this.#keys, 'address', opened.address);
  }

  /**
   * Binds a card or an account, or changes the one with the id `cardId`; returns its id.
   * @throws RefusalError
   */
  async setCard(customerId: string, cardId: string | undefined, typed: TypedCard): Promise<string> {
    const card = readCard(typed);
    try {
      return await transaction(this.#pool, (client) => this.#writeCard(client, customerId, cardId, card));
    } catch (error) {
      if (failureOf(error) !== UNIQUE_VIOLATION) throw error;
      throw cardBound();
    }
  }

  async #writeCard(
    client: Client,
    customerId: string,
    cardId: string | undefined,
    card: BankCard,
  ): Promise<string> {
    await lockCustomer(client, customerId);
    const cards = await this.cards(client, customerId);
    if (cardId === undefined && cards.length >= MAX_CARDS)
      throw refusalOf('TOO_MANY_CARDS', null, { count: String(MAX_CARDS) });
    if (cardId !== undefined) await endCard(client, customerId, cardId);
    if (await this.#isBound(client, customerId, card)) throw cardBound();
    const id = await nextRecord(client);
    const binding = { table: 'bank_cards', record: id, customer: customerId } as const;
    await client.query(
      `insert into bank_cards (id, card_id, customer_id, sealed, last4, number_index, country)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        id,
        cardId ?? id,
        customerId,
        sealRecord(this.#keys, binding, card),
        card.cardNumber.slice(-4),
        indexOf(this.#keys, 'card', cardKey(card)),
        card.country,
      ],
    );
    return cardId ?? id;
  }

  /**
   * Whether the card is bound under any key; the database's unique index compares only values of one key. A card bound
   * twice under two keys could not be resealed, because both would then have the same index.
   */
  async #isBound(db: Queryable, customerId: string, card: BankCard): Promise<boolean> {
    const { rowCount } = await db.query(
      'select from bank_cards where customer_id = $1 and removed_at is null and number_index = any($2) limit 1',
      [customerId, indicesOf(this.#keys, 'card', cardKey(card))],
    );
    return rowCount === 1;
  }

  /** @throws RefusalError */
  async removeCard(customerId: string, cardId: string): Promise<void> {
    await endCard(this.#pool, customerId, cardId);
  }

  /**
   * Sets addresses by asset. Absent: unchanged; empty: removed. If one is wrong, none is set.
   * @throws RefusalError that names each wrong one
   */
  async setAddresses(
    customerId: string,
    given: Partial<Record<CryptoAsset, string | undefined>>,
  ): Promise<void> {
    const read = new Map<CryptoAsset, { address: string; network: Network } | null>();
    const fields: Partial<Record<CryptoAsset, AddressFault>> = {};
    const own = await houseAddresses(this.#pool);
    for (const asset of ASSETS) {
      const typed = given[asset];
      if (typed === undefined) continue;
      const address = typed === '' ? null : readAddress(asset, typed);
      const fault = address && faultOf(address, own);
      if (fault) fields[asset] = fault;
      else if (address === null || 'address' in address) read.set(asset, address);
    }
    const [first] = Object.values(fields);
    if (first) throw new RefusalError(first, { fields });
    await transaction(this.#pool, async (client) => {
      await lockCustomer(client, customerId);
      const present = await this.addresses(client, customerId);
      for (const [asset, to] of read) {
        // An unchanged address is no change, so it starts no hold.
        if ((to?.address ?? null) === present[asset]) continue;
        await client.query(
          'update crypto_addresses set removed_at = now() where customer_id = $1 and asset = $2 and removed_at is null',
          [customerId, asset],
        );
        if (to) await this.#insertAddress(client, customerId, asset, to);
      }
    });
  }

  async #insertAddress(
    client: Client,
    customerId: string,
    asset: CryptoAsset,
    { address, network }: { address: string; network: Network },
  ): Promise<void> {
    const id = await nextRecord(client);
    const binding = { table: 'crypto_addresses', record: id, customer: customerId } as const;
    await client.query(
      'insert into crypto_addresses (id, customer_id, asset, network, sealed, address_index) values ($1, $2, $3, $4, $5, $6)',
      [
        id,
        customerId,
        asset,
        network,
        sealRecord(this.#keys, binding, { address }),
        indexOf(this.#keys, 'address', address),
      ],
    );
  }

  #card(id: string, customerId: string, sealed: Buffer): BankCard {
    return openRecord(this.#keys, { table: 'bank_cards', record: id, customer: customerId }, sealed);
  }

  #address(id: string, customerId: string, sealed: Buffer): string {
    const binding = { table: 'crypto_addresses', record: id, customer: customerId } as const;
    return openRecord(this.#keys, binding, sealed).address;
  }
}

type AddressFault = 'ADDRESS_INVALID' | 'ADDRESS_UNOWNED' | 'ADDRESS_OF_HOUSE';

/** Why nothing may be sent to an address; null: it may. `own` are the house's addresses. */
function faultOf(read: TypedAddress, own: ReadonlySet<string>): AddressFault | null {
  if ('fault' in read) return read.fault === 'unowned' ? 'ADDRESS_UNOWNED' : 'ADDRESS_INVALID';
  return own.has(read.address) ? 'ADDRESS_OF_HOUSE' : null;
}

/** The addresses at which the house takes or took deposits: a withdrawal to one of them would come back as a deposit of nobody. */
async function houseAddresses(db: Queryable): Promise<Set<string>> {
  const { rows } = await db.query<{ address: string }>(
    'select distinct address from deposit_channels where address is not null',
  );
  return new Set(rows.map(({ address }) => anyAddress(address)));
}

/** Serialises changes of one customer, so that no limit is exceeded. */
async function lockCustomer(client: Client, customerId: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(7031, ($1::bigint % 2147483647)::int)', [customerId]);
}

/** @throws RefusalError */
async function endCard(db: Queryable, customerId: string, cardId: string): Promise<void> {
  const { rowCount } = await db.query(
    'update bank_cards set removed_at = now() where customer_id = $1 and card_id = $2 and removed_at is null',
    [customerId, cardId],
  );
  if (rowCount !== 1) throw new RefusalError('CARD_NOT_FOUND');
}

/** @throws RefusalError at the field that is wrong */
function readCard({
  kind,
  isChecked,
  cardNumber,
  country = '',
  bankCode = '',
  ...rest
}: TypedCard): BankCard {
  if (kind === 'card') {
    if (rest.branch === '') throw refusalOf('FORM_INCOMPLETE', 'branch');
    const card = readCardNumber(cardNumber);
    if (typeof card === 'string' || !(card.hasCheckDigit || isChecked))
      throw refusalOf('CARD_NUMBER_INVALID', 'cardNumber');
    return { ...rest, cardNumber: card.number };
  }
  const account = readAccount({ country, bankCode, number: cardNumber });
  if ('fault' in account) {
    const field = account.field === 'number' ? 'cardNumber' : account.field;
    throw refusalOf(account.fault === 'missing' ? 'FORM_INCOMPLETE' : 'BANK_ACCOUNT_INVALID', field);
  }
  return {
    ...rest,
    cardNumber: account.number,
    country: account.country,
    ...(account.bankCode === '' ? {} : { bankCode: account.bankCode }),
  };
}

const cardBound = () => refusalOf('CARD_BOUND', 'cardNumber');
