import type { TestDatabase } from '../database/database.ts';
import { DEMO } from '../database/ledger-database.ts';
import { ask, newPayee, newProof, type Payee, USDT, usdt } from './money.ts';

let keys = 0;
const nextKey = (): Buffer => {
  keys += 1;
  return Buffer.from(String(keys).padStart(32, '0'));
};

/** The refusal that a database function answers or raises; null: it did what was asked. */
export const refusalOf = (answer: unknown): string | null =>
  typeof answer === 'object' && answer !== null
    ? ((answer as { refused?: string | null }).refused ?? null)
    : typeof answer === 'string' && /^[A-Z]/.test(answer)
      ? answer
      : null;

/** What a customer asks of the database's functions in their own name; each answers the refusal, or null. */
export class OwnRequests {
  readonly db: TestDatabase;
  readonly payee: Payee;

  constructor(db: TestDatabase, payee: Payee) {
    this.db = db;
    this.payee = payee;
  }

  /** A customer who may withdraw and has 1 000 USDT. */
  static async of(db: TestDatabase): Promise<OwnRequests> {
    return new OwnRequests(db, await newPayee(db, usdt(1_000)));
  }

  async #ask(call: string, ...values: readonly unknown[]): Promise<string | null> {
    return refusalOf(await ask(this.db, call, [this.payee.tokenHash, ...values]));
  }

  limit(kind: string, per: string, amount: bigint | null, asset = USDT): Promise<string | null> {
    return this.#ask('limit_set', asset, kind, per, amount);
  }

  takeBreak(hours: number | null): Promise<string | null> {
    return this.#ask('break_take', 'break', hours, null);
  }

  /** @param months null: for good */
  exclude(months: number | null): Promise<string | null> {
    return this.#ask('break_take', 'exclusion', null, months);
  }

  async deposit(amount: bigint, { proof, channel = 1 }: { proof?: string; channel?: number } = {}) {
    const shown = proof ?? (await newProof(this.db, this.payee.id));
    return this.#ask('deposit_submit', nextKey(), channel, amount, shown);
  }

  /** Why placement refuses an order of this stake for the customer's own sake; null: it does not, and the stake counts from now on. */
  async order(stake: bigint, asset = DEMO): Promise<string | null> {
    const one = [[this.payee.id], [asset], [stake], Date.now()];
    const { rows } = await this.db.owner.query<{ fault: string; kind: string | null; left: string | null }>(
      `select j.faults[1] as fault, l.kind, l.left
       from orders_judge((select h from placement_head h), (select l from log_head l), $4, $1, '{1}', $2, '{1}', '{null}', '{null}', $3, $3,
         '{null}', '{null}') j
       left join json_to_recordset(customer_limits_for($1, $2, $4)) as l (kind text, "left" bigint) on true`,
      one,
    );
    const { fault = '', kind = null, left = null } = rows[0] ?? {};
    // Nothing has a price here.
    if (fault !== 'PRICE_UNAVAILABLE') return fault;
    if (left !== null && stake > BigInt(left)) return kind === 'stake' ? 'STAKE_LIMIT' : 'LOSS_LIMIT';
    await this.db.owner.query('select traded_days_add($1, $2, $3, $4)', one);
    return null;
  }

  withdraw(amount: bigint, changes: WithdrawalChanges = {}): Promise<string | null> {
    const { destination = this.payee.address, asset = USDT, version = 1, seenFee = null } = changes;
    return this.#ask('withdrawal_submit', nextKey(), destination, 'a label', asset, amount, version, seenFee);
  }

  /** Moves money into earnings, or out of them below zero. */
  earn(amount: bigint): Promise<string | null> {
    return this.#ask('earning_move', nextKey(), USDT, amount);
  }

  cancel(kind: 'deposit' | 'withdrawal', id: string): Promise<string | null> {
    return this.#ask(`${kind}_cancel`, id);
  }

  /** The customer's newest request. */
  async newest(kind: 'deposit' | 'withdrawal'): Promise<string> {
    const { rows } = await this.db.owner.query(
      `select id from ${kind}_requests where customer_id = $1 order by id desc limit 1`,
      [this.payee.id],
    );
    return rows[0].id;
  }
}

interface WithdrawalChanges {
  readonly destination?: string;
  readonly asset?: number;
  /** Of the withdrawal password. */
  readonly version?: number;
  readonly seenFee?: bigint | null;
}
