import { expect } from 'vitest';
import type { TestDatabase } from '../database/database.ts';
import { credit, newProof } from '../people/money.ts';
import { photo, upload } from '../people/pictures.ts';
import { type Answer, get, post, type Registered, register } from './api-client.ts';
import { dataOf } from './read-answers.ts';

export const WITHDRAWAL_PASSWORD = '135790';
/** An address on Tron with a valid checksum. */
const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

export interface ApiPayee extends Registered {
  /** The address, by its id in withdraw/options. */
  readonly destination: string;
}

/**
 * A registered customer who may withdraw at once: withdrawal password and address set long ago, verified, with `balance` USDT.
 */
export async function apiPayee(
  origin: string,
  db: TestDatabase,
  balance = 0n,
  address = ADDRESS,
): Promise<ApiPayee> {
  const customer = await register(origin);
  const { token, id } = customer;
  for (const [path, fields] of [
    ['user/setPayWord', { payWord: WITHDRAWAL_PASSWORD }],
    ['user/setAddress', { USDT: address }],
  ] as const) {
    expect((await post(origin, path, fields, { token })).body.error).toBeUndefined();
  }
  await db.owner.query(`update customers set real_status = 'verified' where id = $1`, [id]);
  await makeOld(db, id);
  if (balance > 0n) await credit(db, id, balance);
  const { body } = await get(origin, 'withdraw/options', {}, { token });
  return { ...customer, destination: body.data.destinations[0].id };
}

/** Backdates recent changes, so that no hold remains. */
async function makeOld(db: TestDatabase, customerId: string): Promise<void> {
  await db.owner.query(
    `update withdrawal_passwords set changed_at = now() - interval '1 year' where customer_id = $1`,
    [customerId],
  );
  await db.owner.query(
    `update crypto_addresses set changed_at = now() - interval '1 year' where customer_id = $1`,
    [customerId],
  );
}

export function withdraw(
  origin: string,
  payee: ApiPayee,
  amount: string,
  options: { key?: string; payWord?: string; destinationId?: string; asset?: string; fee?: string } = {},
): Promise<Answer> {
  const { key, ...changes } = options;
  const fields = {
    destinationId: payee.destination,
    asset: 'USDT',
    amount,
    payWord: WITHDRAWAL_PASSWORD,
    ...changes,
  };
  return post(origin, 'withdraw/submit', fields, {
    token: payee.token,
    ...(key === undefined ? {} : { key }),
  });
}

/** Submits a deposit with a photograph. */
export async function submitDeposit(
  origin: string,
  token: string,
  amount: string,
  options: { key?: string; channelId?: string; proof?: Uint8Array } = {},
): Promise<Answer> {
  const { key, channelId = '1', proof = await photo() } = options;
  return upload(
    origin,
    'recharge/submit',
    { fields: { channelId, amount }, files: { proof } },
    { token, ...(key === undefined ? {} : { key }) },
  );
}

/** Inserts `count` deposits under review, past the API; their pictures are placeholders. */
export async function manyDeposits(db: TestDatabase, customerId: string, count: number): Promise<void> {
  for (let place = 0; place < count; place += 1) {
    await db.owner.query(
      `insert into deposit_requests (customer_id, key_hash, channel_id, channel_version, asset_id, amount, fee, proof_id)
       values ($1, sha256($2), 1, 1, 2, 10000000, 0, $3)`,
      [customerId, Buffer.from(`many ${place}`), await newProof(db, customerId)],
    );
  }
}

/** Plants recognizable ids, a deposit, a withdrawal and a notice for a customer who has bound an ETH address. */
export async function plantRequests(
  { origin, db }: { origin: string; db: TestDatabase },
  { token, id }: Registered,
  payWord: string,
): Promise<{ depositId: string; withdrawalId: string; label: string }> {
  for (const [table, first] of [
    ['deposit_requests', 771_100_331],
    ['withdrawal_requests', 772_200_663],
    ['notices', 773_300_997],
  ] as const) {
    await db.owner.query(`alter table ${table} alter column id restart with ${first}`);
  }
  await db.owner.query(`update customers set real_status = 'verified' where id = $1`, [id]);
  await credit(db, id, 100_000_000n, 5);
  const { destinations } = await dataOf(get(origin, 'withdraw/options', {}, { token }));
  const destination = destinations.find(({ asset }: { asset: string }) => asset === 'ETH');
  const form = { destinationId: destination.id, asset: 'ETH', amount: '0.53197531', payWord };
  const withdrawal = await dataOf(post(origin, 'withdraw/submit', form, { token }));
  const deposit = await dataOf(submitDeposit(origin, token, '86.420864'));
  const failed = await dataOf(submitDeposit(origin, token, '53.135799'));
  await db.owner.query('select notice_add($1, $2, $3)', [
    id,
    'deposit.failure',
    { id: failed.id, asset: 2, amount: '53135799', reason: 'not_received' },
  ]);
  return { depositId: deposit.id, withdrawalId: withdrawal.id, label: destination.label };
}
