import type { ErrorCode } from '@fairtick/protocol';
import { type Answer, get, post, register } from '../clients/api-client.ts';
import { apiPayee, manyDeposits, recharge, withdraw } from '../clients/money-api.ts';
import type { TestDatabase } from '../database/database.ts';
import { setMode } from '../installation/house-mode.ts';
import { credit } from '../people/money.ts';
import { photo, upload } from '../people/pictures.ts';

type Money =
  | Extract<
      ErrorCode,
      `EARNINGS_${string}` | `DEPOSIT_TOO_${string}` | `WITHDRAWAL_${string}` | `REQUEST_${string}`
    >
  | 'CHANNEL_NOT_FOUND'
  | 'EXPORT_TOO_LONG'
  | 'PROOF_REQUIRED'
  | 'TOO_MANY_PENDING'
  | 'NAME_NOT_VERIFIED'
  | 'TERMS_CHANGED'
  | 'DESTINATION_NOT_FOUND';

const UNIT = 1_000_000n;

/** A request for every refusal about money in and out. */
export function moneyRefusals(
  house: () => { origin: string; db: TestDatabase },
): Record<Money, () => Promise<Answer>> {
  const payee = () => apiPayee(house().origin, house().db, 100n * UNIT);
  const deposit = async (amount: string, channelId = '1') =>
    recharge(house().origin, (await register(house().origin)).token, amount, { channelId });
  const earner = async () => {
    const { token, id } = await register(house().origin);
    await credit(house().db, id, 100n * UNIT);
    return token;
  };
  const earn = async (path: 'profit/transferIn' | 'profit/transferOut', token: string) => {
    return post(house().origin, path, { asset: 'USDT', amount: '50' }, { token });
  };
  return {
    EARNINGS_NOT_OFFERED: async () => {
      const token = await earner();
      // Samples count in demo only, and there is no other rate.
      await setMode(house().db.owner, 'live');
      const answer = await earn('profit/transferIn', token);
      await setMode(house().db.owner, 'demo');
      return answer;
    },
    EARNINGS_SMALLER: async () => earn('profit/transferOut', await earner()),
    EXPORT_TOO_LONG: async () => {
      const { token, id } = await register(house().origin);
      await house().db.owner.query(
        `insert into deposit_requests (customer_id, key_hash, channel_id, channel_version, asset_id, amount, fee, proof_id)
         select $1, sha256(i::text::bytea), 1, 1, 2, 10000000, 0, 5000000 + i from generate_series(1, 2000) i`,
        [id],
      );
      return get(house().origin, 'fund/export', { format: 'pdf' }, { token });
    },
    CHANNEL_NOT_FOUND: () => deposit('50', '77'),
    PROOF_REQUIRED: async () => {
      const { token } = await register(house().origin);
      const form = { fields: { channelId: '1', amount: '50' }, files: {} };
      return upload(house().origin, 'recharge/submit', form, { token });
    },
    DEPOSIT_TOO_SMALL: () => deposit('9.99'),
    DEPOSIT_TOO_LARGE: () => deposit('50000.01'),
    TOO_MANY_PENDING: async () => {
      const { token, id } = await register(house().origin);
      await manyDeposits(house().db, id, 20);
      return recharge(house().origin, token, '50', { proof: await photo() });
    },
    REQUEST_NOT_FOUND: async () => {
      const { token } = await register(house().origin);
      return get(house().origin, 'withdraw/detail', { id: '1' }, { token });
    },
    REQUEST_DECIDED: async () => {
      const { token, id } = await register(house().origin);
      await manyDeposits(house().db, id, 1);
      const { rows } = await house().db.owner.query<{ id: string }>(
        `update deposit_requests set status = 'failure', reason = 'not_received', decided_at = now() where customer_id = $1
         returning id`,
        [id],
      );
      return post(house().origin, 'recharge/cancel', { id: rows[0]?.id ?? '' }, { token });
    },
    NAME_NOT_VERIFIED: async () => {
      const ann = await payee();
      await house().db.owner.query(`update customers set real_status = 'none' where id = $1`, [ann.id]);
      return withdraw(house().origin, ann, '50');
    },
    DESTINATION_NOT_FOUND: async () => withdraw(house().origin, await payee(), '50', { destinationId: '5' }),
    TERMS_CHANGED: async () => withdraw(house().origin, await payee(), '50', { fee: '0.5' }),
    WITHDRAWAL_TOO_SMALL: async () => withdraw(house().origin, await payee(), '9'),
    WITHDRAWAL_TOO_LARGE: async () => withdraw(house().origin, await payee(), '50000.01'),
  };
}
