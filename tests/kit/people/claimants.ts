import { expect } from 'vitest';
import { get, PASSWORD, post, type Registered, register } from '../clients/api-client.ts';
import { dataOf } from '../clients/read-answers.ts';
import type { TestDatabase } from '../database/database.ts';
import { Passkey } from './passkey.ts';
import { codeOf } from './totp.ts';

type Fields = Record<string, string>;

/** Owners whose credentials change, and those who claim their accounts. Their changes go to `origin`, calls without a session to `other`. */
export class Claimants {
  readonly #db: TestDatabase;
  readonly #origin: string;
  readonly #other: string;

  constructor(db: TestDatabase, origin: string, other = origin) {
    this.#db = db;
    this.#origin = origin;
    this.#other = other;
  }

  user = (token: string, path: string, fields: Fields = {}) =>
    post(this.#origin, `user/${path}`, fields, { token });
  login = ({ account }: Registered, fields: Fields) =>
    post(this.#other, 'user/login', { account, ...fields });
  statusOf = async (token: string) => (await get(this.#origin, 'user/getUserInfo', {}, { token })).status;

  takeBack = ({ account }: Registered, fields: Fields) =>
    post(this.#other, 'user/takeBack', {
      account,
      oldPassword: PASSWORD,
      contact: 'me@mail.example',
      text: 'Somebody changed my second factor.',
      ...fields,
    });

  /** What a passkey signs for a claim; null: the options are refused. */
  async signClaim({ account }: Registered, passkey: Passkey, oldPassword = PASSWORD): Promise<string | null> {
    const { body } = await post(this.#other, 'user/takeBackOptions', { account, oldPassword });
    return body.code === 1 ? passkey.sign(body.data.options) : null;
  }

  /** Adds an authenticator app with this session; all other sessions end. */
  async addFactor(token: string): Promise<{ id: string; secret: string }> {
    const { id, secret } = await dataOf(this.user(token, 'beginTotp'));
    await dataOf(this.user(token, 'confirmTotp', { id, otp: await codeOf(secret) }));
    return { id, secret };
  }

  /** Adds a passkey with this session; all other sessions end. */
  async addPasskey(token: string): Promise<{ id: string; passkey: Passkey }> {
    const passkey = new Passkey();
    const { options } = await dataOf(this.user(token, 'beginPasskey'));
    await dataOf(this.user(token, 'confirmPasskey', { label: 'key', passkey: passkey.register(options) }));
    const { factors } = await dataOf(get(this.#origin, 'user/factors', {}, { token }));
    return { id: factors.at(-1).id, passkey };
  }

  /** An old account, with a factor and codes of the same age. */
  async newOwner() {
    const who = await register(this.#origin);
    const factor = await this.addFactor(who.token);
    await this.age(who);
    return { who, factor };
  }

  /** Moves the account, its factors and codes a year into the past. */
  async age({ id }: Registered): Promise<void> {
    for (const change of [
      `update customers set created_at = created_at - interval '1 year' where id = $1`,
      `update customer_second_factors set confirmed_at = confirmed_at - interval '1 year' where customer_id = $1`,
      `update recovery_codes set created_at = created_at - interval '1 year' where customer_id = $1`,
    ])
      await this.#db.owner.query(change, [id]);
  }

  /** Everything that opens the account: password, factors, unused codes, sessions, withdrawal password, destinations. */
  async keysOf({ id }: Registered) {
    const { rows } = await this.#db.owner.query(
      `select password_hash, (select count(*)::int from sessions where customer_id = $1) as sessions,
         (select array_agg(f.id order by f.id) from customer_second_factors f where f.customer_id = $1) as factors,
         (select array_agg(code_hash order by code_hash) from recovery_codes where customer_id = $1) as codes,
         (select changed_at from withdrawal_passwords where customer_id = $1) as withdrawal_password,
         (select array_agg(d.id) from destinations d where d.customer_id = $1 and removed_at is null) as destinations
       from customers where id = $1`,
      [id],
    );
    return rows[0];
  }

  /** Moves every change of the account so far back that its hold is over. A hold of a claim stays. */
  async waitHolds({ id }: Registered): Promise<void> {
    for (const change of [
      `update customers set password_changed_at = null, second_factor_changed_at = null, factor_taken_at = null where id = $1`,
      `update withdrawal_passwords set changed_at = changed_at - interval '1 year' where customer_id = $1`,
      `update crypto_addresses set changed_at = changed_at - interval '1 year' where customer_id = $1`,
    ])
      await this.#db.owner.query(change, [id]);
  }

  /** Whether a withdrawal to the account's address can't be approved yet. */
  async isHeld({ id }: Registered): Promise<boolean> {
    const { rows } = await this.#db.owner.query<{ held: boolean }>(
      `select coalesce(hold_until($1, d.id) > now(), false) as held from destinations d where d.customer_id = $1 and d.removed_at is null`,
      [id],
    );
    return rows.some(({ held }) => held);
  }

  /** Id of the account's open claim. */
  async claimOf({ account }: Registered): Promise<string> {
    const { rows } = await this.#db.owner.query<{ id: string }>(
      'select id::text from recovery_requests where account = $1 and decided_at is null',
      [account],
    );
    expect(rows).toHaveLength(1);
    return (rows[0] as { id: string }).id;
  }
}
