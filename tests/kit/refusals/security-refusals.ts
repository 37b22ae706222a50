import type { ErrorCode } from '@fairtick/protocol';
import { expect } from 'vitest';
import { type Answer, get, PASSWORD, post, type Registered, register } from '../clients/api-client.ts';
import type { TestDatabase } from '../database/database.ts';
import { codeOf } from '../people/totp.ts';

type Security =
  | Extract<ErrorCode, `OTP_${string}` | `${string}FACTOR${string}`>
  | 'ACCOUNT_CLOSED'
  | 'ACCOUNT_DIFFERS'
  | 'ACCOUNT_NOT_EMPTY'
  | 'ACCOUNT_UNDER_REVIEW'
  | 'EXPORT_TOO_OFTEN';

/** A request for every refusal about second factors, exports and closing. */
export function securityRefusals(
  house: () => { origin: string; db: TestDatabase },
): Record<Security, () => Promise<Answer>> {
  const user = (who: Registered, path: string, fields: Record<string, string> = {}) =>
    post(house().origin, `user/${path}`, fields, { token: who.token });
  const fresh = () => register(house().origin);
  const withFactor = async () => {
    const who = await fresh();
    const { id, secret } = (await user(who, 'beginTotp')).body.data;
    expect((await user(who, 'confirmTotp', { id, otp: await codeOf(secret) })).body.code).toBe(1);
    return who;
  };
  const close = (who: Registered) => user(who, 'closeAccount', { account: who.account });
  return {
    OTP_REQUIRED: async () => {
      const { account } = await withFactor();
      return post(house().origin, 'user/login', { account, password: PASSWORD });
    },
    OTP_WRONG: async () => {
      const { account } = await withFactor();
      return post(house().origin, 'user/login', { account, password: PASSWORD, otp: 'x' });
    },
    FACTOR_NOT_FOUND: async () => user(await fresh(), 'removeFactor', { id: '1' }),
    TOO_MANY_FACTORS: async () => {
      const who = await withFactor();
      await house().db.owner.query(
        `insert into customer_second_factors (customer_id, kind, label, sealed_secret)
         select $1, 'totp', 'TOTP', 'x' from generate_series(1, 10)`,
        [who.id],
      );
      return user(who, 'beginPasskey');
    },
    ACCOUNT_DIFFERS: async () => user(await fresh(), 'closeAccount', { account: 'somebody_else' }),
    ACCOUNT_CLOSED: async () => {
      const who = await fresh();
      expect((await close(who)).body.code).toBe(1);
      return post(house().origin, 'user/login', { account: who.account, password: PASSWORD });
    },
    ACCOUNT_NOT_EMPTY: async () => {
      const who = await fresh();
      await house().db.owner.query(
        `update ledger.balances set held = 1, available = available - 1 where owner_id = $1 and available > 0`,
        [who.id],
      );
      return close(who);
    },
    ACCOUNT_UNDER_REVIEW: async () => {
      const who = await fresh();
      await house().db.owner.query(`update customers set real_status = 'pending' where id = $1`, [who.id]);
      return close(who);
    },
    EXPORT_TOO_OFTEN: async () => {
      const who = await fresh();
      await house().db.owner.query(
        'insert into data_exports (customer_id) select $1 from generate_series(1, 5)',
        [who.id],
      );
      return get(house().origin, 'user/exportData', {}, { token: who.token });
    },
  };
}
