import { createHash, randomBytes } from 'node:crypto';
import { SEEDED_ASSETS } from '../../../apps/server/src/commands/seeded-assets.ts';
import { hashToken } from '../../../apps/server/src/customers/identity/passwords.ts';
import { failureOf } from '../../../apps/server/src/platform/db/database.ts';
import type { TestDatabase } from '../database/database.ts';

export const USDT: number = SEEDED_ASSETS.USDT.id;
const UNIT = 1_000_000n;
/** Whole USDT in minor units. */
export const usdt = (whole: number): bigint => BigInt(whole) * UNIT;

/** A customer who may withdraw: verified, with a withdrawal password, a card and an address, all old enough. */
export interface Payee {
  readonly id: string;
  readonly token: string;
  readonly tokenHash: Buffer;
  /** Rows of `destinations`. */
  readonly address: string;
  readonly card: string;
}

const sealed = (text: string) => Buffer.concat([Buffer.from([1, 0, 0, 0, 1]), Buffer.from(text)]);
const digest = (text: string) => createHash('sha256').update(text).digest();

/** Turns a registered customer into one who may withdraw, by writing the rows that their screens and the staff would write. */
async function makePayee(
  db: TestDatabase,
  customer: { id: string; token: string },
  balance = 0n,
): Promise<Payee> {
  const { id, token } = customer;
  const { rows } = await db.owner.query<{ address: string; card: string }>(
    `with verified as (update customers set real_status = 'verified' where id = $1),
     key as (insert into data_keys (id) values (sealed_key($2)) on conflict do nothing),
     word as (insert into withdrawal_passwords (customer_id, sealed, changed_at) values ($1, $2, now() - interval '1 year')),
     address as (
       insert into crypto_addresses (id, customer_id, asset, network, sealed, address_index, changed_at)
       values (nextval('personal_data_ids'), $1, 'USDT', 'TRC20', $2, $3, now() - interval '1 year') returning id
     ), card_id as (select nextval('personal_data_ids') as id),
     card as (
       insert into bank_cards (id, card_id, customer_id, sealed, last4, number_index, changed_at)
       select c.id, c.id, $1, $2, '4242', $4, now() - interval '1 year' from card_id c returning id
     )
     select address.id as address, card.id as card from address, card`,
    [id, sealed('word'), digest(`address ${id}`), digest(`card ${id}`)],
  );
  const row = rows[0] as { address: string; card: string };
  if (balance > 0n) await credit(db, id, balance);
  return { id, token, tokenHash: hashToken(token), ...row };
}

/** A payee in the database only, with a session. */
export async function newPayee(db: TestDatabase, balance = 0n): Promise<Payee> {
  const token = randomBytes(32).toString('hex');
  const { rows } = await db.owner.query<{ id: string }>(
    `insert into customers (account, nickname, password_hash) values ($1, 'payee', 'not a hash') returning id`,
    [`p${randomBytes(6).toString('hex')}`],
  );
  const id = (rows[0] as { id: string }).id;
  await db.owner.query('select ledger.open_balances($1)', [id]);
  await db.owner.query(
    `insert into sessions (token_hash, customer_id, fresh_until, user_agent) values ($1, $2, now() + interval '1 hour', '')`,
    [hashToken(token), id],
  );
  return makePayee(db, { id, token }, balance);
}

let credits = 0;
/** Credits money for a test: from outside, without a request. */
export async function credit(
  db: TestDatabase,
  customerId: string,
  amount: bigint,
  asset = USDT,
): Promise<void> {
  credits += 1;
  // Far above the number of any request of a test.
  const key = `deposit:${process.pid}${String(credits).padStart(9, '0')}`;
  await db.owner.query('select ledger.deposit($1, $2, $3, $4::smallint, $5, 0, 0)', [
    key,
    digest(key),
    customerId,
    asset,
    amount,
  ]);
}

/** A picture stored as a proof, without its file. */
export async function newProof(db: TestDatabase, customerId: string, bytes = 10): Promise<string> {
  const { rows } = await db.owner.query<{ id: string }>(
    `insert into uploads (id, customer_id, purpose, file, key_id, width, height, bytes, sha256)
     values (nextval('personal_data_ids'), $1, 'proof', $2, '\\x00000001', 10, 10, $4, $3) returning id`,
    [customerId, randomBytes(24).toString('base64url'), digest(''), bytes],
  );
  return (rows[0] as { id: string }).id;
}

/** Calls a database function as the server; returns its result, or the name of the refusal. */
export async function ask(db: TestDatabase, call: string, values: readonly unknown[]): Promise<any> {
  try {
    const places = values.map((_, place) => `$${place + 1}`).join(', ');
    const { rows } = await db.server.query(`select * from ${call}(${places}) as answer`, [...values]);
    const [row] = rows;
    return row && Object.keys(row).length === 1 ? Object.values(row)[0] : row;
  } catch (error) {
    const state = failureOf(error);
    if (state === null) throw error;
    return state;
  }
}

/** Approves a request: `[staff, request, content]`. The destination of a withdrawal is opened first. */
export async function approveRequest(
  db: TestDatabase,
  kind: 'deposit' | 'withdrawal',
  values: readonly [string | undefined, string, Buffer],
): ReturnType<typeof ask> {
  if (kind === 'withdrawal')
    await db.owner.query(
      `insert into personal_data_views (staff_id, customer_id, what, subject_id)
       select s.id, r.customer_id, 'address', r.destination_id from withdrawal_requests r, staff s
       where r.id = $2 and s.id = $1`,
      values.slice(0, 2),
    );
  return ask(db, `${kind}_approve`, values);
}

/** Takes an approved withdrawal for paying by hand, and records the payment; returns '' or the name of the refusal. */
export async function payByHand(
  db: TestDatabase,
  staff: string | undefined,
  id: string,
  reference: string,
): Promise<string> {
  const taken = await ask(db, 'withdrawal_send', [staff, id, 'hand']);
  if (isNameOfRefusal(taken) && taken !== 'PAYOUT_TAKEN') return taken;
  return ask(db, 'withdrawal_paid', [staff, id, reference]);
}

/** Whether an answer of {@link ask} is the name of a refusal; results and SQLSTATEs are not. */
export const isNameOfRefusal = (answer: unknown): boolean => /^[A-Z][A-Z_]+$/.test(String(answer));

const keyOf = (key: string) => digest(key);

export async function submitWithdrawal(
  db: TestDatabase,
  payee: Payee,
  amount: bigint,
  options: { key?: string; destination?: string; asset?: number } = {},
): Promise<{ request_id: string | null; refused: string | null }> {
  return ask(db, 'withdrawal_submit', [
    payee.tokenHash,
    keyOf(options.key ?? randomBytes(8).toString('hex')),
    options.destination ?? payee.address,
    'TRC20 TPay…yee1',
    options.asset ?? USDT,
    amount,
    1,
  ]);
}

/** Requests a withdrawal that must be accepted, and returns its id. */
export async function withdrawal(db: TestDatabase, payee: Payee, amount: bigint): Promise<string> {
  const { request_id, refused } = await submitWithdrawal(db, payee, amount);
  if (request_id === null) throw new Error(`refused: ${refused}`);
  return request_id;
}

/** Submits a deposit through the first channel of USDT, and returns its id. */
export async function deposit(db: TestDatabase, payee: Payee, amount: bigint, channel = 1): Promise<string> {
  const { request_id, refused } = await ask(db, 'deposit_submit', [
    payee.tokenHash,
    keyOf(randomBytes(8).toString('hex')),
    channel,
    amount,
    await newProof(db, payee.id),
  ]);
  if (request_id === null) throw new Error(`refused: ${refused}`);
  return request_id;
}

export async function statusOf(
  db: TestDatabase,
  kind: 'deposit' | 'withdrawal',
  id: string,
): Promise<string> {
  const { rows } = await db.server.query(`select status from ${kind}_requests where id = $1`, [id]);
  return rows[0].status;
}

/** The content hash of the request that an approval would name now. */
export async function contentOf(
  db: TestDatabase,
  kind: 'deposit' | 'withdrawal',
  id: string,
): Promise<Buffer> {
  const { rows } = await db.server.query(`select content from ${kind}_standing($1)`, [id]);
  return rows[0].content;
}

/** A customer's USDT balances, in whole USDT. */
export async function moneyOf(
  db: TestDatabase,
  customerId: string,
): Promise<{ available: number; held: number }> {
  const { rows } = await db.server.query(
    'select available, held from ledger.balances where owner_id = $1 and asset_id = $2',
    [customerId, USDT],
  );
  return { available: Number(rows[0].available) / 1e6, held: Number(rows[0].held) / 1e6 };
}

/** Backdates all decisions by a day, so that they no longer count together with new ones. */
export async function letADayPass(db: TestDatabase): Promise<void> {
  for (const [table, moment] of [
    ['deposit_requests', 'decided_at'],
    ['withdrawal_requests', 'approved_at'],
    ['proposals', 'decided_at'],
  ])
    await db.owner.query(
      `begin; alter table ${table} disable trigger user;
       update ${table} set ${moment} = ${moment} - interval '24 hours 1 second';
       alter table ${table} enable trigger user; commit`,
    );
}

/** The house takes deposits at `address` from now on, as after a change of a channel; a second version ends that again. */
export async function takeDepositsAt(db: TestDatabase, address: string, ended = false): Promise<void> {
  await db.owner.query(
    `insert into deposit_channels (id, version, asset_id, network, address, bank, min, max, presets, fee, is_enabled)
     select id, version + step, asset_id, network, case step when 1 then $1 else address end, bank, min, max, presets, fee, is_enabled
     from current_channels(), generate_series(1, $2) step
     where id = (select min(id) from current_channels() where address is not null)`,
    [address, ended ? 2 : 1],
  );
}
