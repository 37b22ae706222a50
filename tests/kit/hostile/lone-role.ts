import { createHash, randomBytes } from 'node:crypto';
import type { Product } from '../../../apps/server/src/market/products.ts';
import { createPool, failureOf, type Pool } from '../../../apps/server/src/platform/db/database.ts';
import { batchCheck } from '../../../apps/server/src/transparency/audit/audit-batch-check.ts';
import { audit } from '../../../apps/server/src/transparency/audit/audit-checks.ts';
import { REPLAY_CHECK } from '../../../apps/server/src/transparency/audit/audit-replay-check.ts';
import { signingKeyFile } from '../folder.ts';
import { bindLogClock, freeLogClock } from '../installation/clocks.ts';
import { START_MS } from '../installation/house.ts';
import { ManualFeed } from '../installation/manual-feed.ts';
import { StillHouse } from '../installation/still-house.ts';
import { contentOf, deposit, newPayee, type Payee, usdt, withdrawal } from '../people/money.ts';
import { installStaff } from '../people/staff.ts';
import { tokenHashOf } from '../people/traders.ts';

/** A guessed token hash of a session. */
export const GUESS = createHash('sha256').update('a guess').digest();

/** A statement and its values. */
export type Statement = readonly [text: string, ...values: unknown[]];

/** Places an order in DEMO by a session's token hash and a key. Returns why it makes no order; null: it is one. */
export const PLACE = `select orders_place(array[$1::bytea], array[sha256($2)], array[sha256('fields')], array[$3]::smallint[], '{1}', array[$4]::smallint[],
  '{1}', array[$5]::bigint[], array[null]::bigint[], array[$6]::bigint[], array[null]::bytea[], array[null]::bigint[], array[null]::bytea[])
  -> 'faults' ->> 0 as refused`;

/** An order that the role places; what is omitted is in order. */
export interface Terms {
  /** The token hash of a session: the customer's by default. */
  token?: Buffer;
  product?: number;
  minutes?: number;
  /** The opening time, Unix ms: the earliest by default. */
  opensAtMs?: number;
  /** Of DEMO, in smallest units. */
  stake?: number;
}

/** A product that is closed on all days but Sundays. */
export const CLOSED = 'GBP/USD';

class OneClosed extends ManualFeed {
  override rulesOf(product: Product) {
    const rules = super.rulesOf(product);
    if (!rules || product.symbol !== CLOSED) return rules;
    const windows = [{ days: [7], from: '10:00', to: '12:00' }];
    return { ...rules, schedule: { zone: 'UTC', windows, holidays: [] } };
  }
}

/**
 * An attacker with the server's database role and nothing else, in an installation with something to steal: undecided requests,
 * and orders that have lost and are not settled.
 */
export class LoneRole {
  readonly still: StillHouse;
  /** The role's own connections: they set no session of staff. */
  readonly pool: Pool;
  payee!: Payee;
  cashier!: string;
  approver!: string;
  readonly requests = {
    deposit: '',
    proposed: '',
    withdrawal: '',
    content: Buffer.alloc(0) as Buffer,
    correction: '',
  };
  /** Lost orders of one batch. */
  lost: readonly number[] = [];
  settlesAtMs = 0;

  private constructor(still: StillHouse) {
    this.still = still;
    this.pool = createPool(still.house.db.serverAddress, {
      max: 2,
      name: 'alone',
      maxIdleInTransactionMs: 30_000,
    });
  }

  static async open(): Promise<LoneRole> {
    const role = new LoneRole(await StillHouse.open({}, START_MS, new OneClosed({ quietMs: 120_000 })));
    await role.#makeRequests();
    await role.#makeOrders();
    return role;
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.still.close();
  }

  async #makeRequests(): Promise<void> {
    const { db } = this.still.house;
    const { requests } = this;
    this.cashier = await installStaff(db.owner, 'cashier');
    this.approver = await installStaff(db.owner, 'approver');
    this.payee = await newPayee(db, usdt(50_000));
    requests.deposit = await deposit(db, this.payee, usdt(4_999));
    requests.proposed = await deposit(db, this.payee, usdt(6_000));
    requests.withdrawal = await withdrawal(db, this.payee, usdt(900));
    const propose = (call: string, ...values: unknown[]) =>
      db.server.query(`select ${call} as id`, [this.cashier, ...values]);
    await propose('deposit_find($1, $2, $3, $4)', requests.proposed, usdt(6_000), 'tx 1');
    await propose('withdrawal_propose($1, $2, $3)', requests.withdrawal, '');
    requests.content = await contentOf(db, 'withdrawal', requests.withdrawal);
    const { rows } = await propose(
      'correction_propose($1, $2, 2::smallint, 5000000, $3)',
      this.payee.id,
      'a good reason',
    );
    requests.correction = rows[0].id;
  }

  async #makeOrders(): Promise<void> {
    const { still } = this;
    await still.stepBy(750);
    await still.tick('EUR/USD', '1.08400');
    const answers = await still.place(
      (await still.customers(5)).map((customer) =>
        still.house.request(customer, { symbol: 'EUR/USD', amount: '100', direction: 'down' }),
      ),
    );
    this.lost = answers.map((answer) => (answer.kind === 'accepted' ? answer.orderId : 0));
    const { opensAtMs, settlesAtMs } = await still.order(this.lost[0] as number);
    this.settlesAtMs = settlesAtMs;
    await still.openAt(opensAtMs, 'EUR/USD', '1.08420');
    await still.tick('EUR/USD', '1.08500');
    await still.tick('EUR/USD', '1.08410');
    await still.leapTo(this.settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08450');
  }

  /** Runs one transaction as the role. Returns the SQLSTATE of a refusal, else the last refusal that a function returned, or null. */
  async attempt(...statements: readonly Statement[]): Promise<string | null> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      let said: unknown = null;
      for (const [text, ...values] of statements) {
        const { rows } = await client.query(text, values);
        said = rows[0]?.refused ?? said;
      }
      await client.query('commit');
      return said === null ? null : String(said);
    } catch (error) {
      await client.query('rollback');
      return failureOf(error) ?? String(error);
    } finally {
      client.release();
    }
  }

  /** Findings of the audit by rule, with all orders settled again and all signatures verified. */
  async found(): Promise<ReadonlyMap<string, readonly string[]>> {
    const client = await this.pool.connect();
    try {
      const signatures = batchCheck(signingKeyFile(this.still.house.db));
      if (signatures === null) throw new Error('the house has no key file');
      const findings = await audit(client, [REPLAY_CHECK, signatures]);
      return new Map(findings.filter(({ count }) => count > 0).map(({ name, details }) => [name, details]));
    } finally {
      client.release();
    }
  }

  /** Takes the log's lease and appends nothing but a time and an offset, SQL in which `now` is the database's clock, ms. */
  async append(time: string, offset: string): Promise<string | null> {
    const { db } = this.still.house;
    await bindLogClock(db);
    try {
      return await this.attempt([
        `select log_append(log_acquire('me', epoch, beat), size, root, peaks, greatest(time_ms, ${time}), ${offset}, null)
         from log_head, lateral (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now) clock`,
      ]);
    } finally {
      await freeLogClock(db);
    }
  }

  /** Places an order through the two functions of placement, with arbitrary terms and signed by nobody. */
  place(customer: string, { product = 1, minutes = 1, stake = 10_000_000, ...terms }: Terms) {
    const { token = tokenHashOf(customer), opensAtMs = null } = terms;
    return this.attempt(
      [PLACE, token, randomBytes(32).toString('hex'), product, minutes, stake, opensAtMs],
      [
        `select orders_seal(number, sha256('root'), sha256('leaf'), '') from order_batches where signed is null`,
      ],
    );
  }

  /** Asks for the settlement of an order. */
  settle(order: number) {
    return this.attempt(['select orders_settle(array[$1::bigint])', order]);
  }
}
