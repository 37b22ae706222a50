import { randomBytes } from 'node:crypto';
import { hashToken } from '../../../apps/server/src/customers/identity/passwords.ts';
import type { Pool } from '../../../apps/server/src/platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { ask, credit, USDT } from '../people/money.ts';
import { installStaff } from '../people/staff.ts';
import { makeClockStandStill } from './clocks.ts';

/** A customer in the database only, with a session. */
export interface Saver {
  readonly id: string;
  readonly tokenHash: Buffer;
}

/** Earnings on a database of their own, with a clock that the test sets: it starts at noon of `START_DAY`. */
export class EarningsHouse {
  readonly db: TestDatabase;
  readonly #setClock: (ms: number) => Promise<void>;
  #proposer: string | null = null;
  #approver: string | null = null;

  private constructor(db: TestDatabase, setClock: (ms: number) => Promise<void>) {
    this.db = db;
    this.#setClock = setClock;
  }

  static async open(): Promise<EarningsHouse> {
    const db = await createTestDatabase();
    // The audit log's head goes into the price log.
    await db.server.query(`select log_begin('test.invalid')`);
    const house = new EarningsHouse(db, await makeClockStandStill({ db } as never));
    await house.goTo(START_DAY);
    return house;
  }

  /** Sets the clock to noon of a UTC day, or to another time of it. */
  async goTo(day: string, time = '12:00'): Promise<void> {
    await this.#setClock(Date.parse(`${day}T${time}:00Z`));
  }

  /** A saver with this much USDT available. */
  async saver(available: bigint): Promise<Saver> {
    const token = randomBytes(32).toString('hex');
    const { rows } = await this.db.owner.query<{ id: string }>(
      `insert into customers (account, nickname, password_hash) values ($1, 'saver', 'not a hash') returning id`,
      [`s${randomBytes(6).toString('hex')}`],
    );
    const id = (rows[0] as { id: string }).id;
    await this.db.owner.query('select ledger.open_balances($1)', [id]);
    await this.db.owner.query(
      `insert into sessions (token_hash, customer_id, fresh_until, user_agent) values ($1, $2, 'infinity', '')`,
      [hashToken(token), id],
    );
    await credit(this.db, id, available);
    return { id, tokenHash: hashToken(token) };
  }

  /** Creates `count` savers at once, each with `amount` USDT in earnings since the first of the month, without sessions. */
  async crowd(count: number, amount: bigint): Promise<void> {
    await fillEarnings(this.db.owner, count, amount);
  }

  /** Moves money into earnings (above zero) or out of them; returns the refusal, or null. */
  move(saver: Saver, amount: bigint, asset = USDT): Promise<string | null> {
    return ask(this.db, 'earning_move', [saver.tokenHash, randomBytes(32), asset, amount]);
  }

  /** Books all due interest, `chunk` accounts at a time. Returns how many account days earned. */
  async accrue(chunk = 100): Promise<number> {
    let earned = 0;
    for (;;) {
      const step = await ask(this.db, 'earning_accrue', [chunk]);
      if (typeof step === 'string') throw new Error(`the accrual was refused: ${step}`);
      if (!step.worked) return earned;
      earned += step.earned;
    }
  }

  /** Sets another rate, by two people. */
  async setRate(ppm: number, from: string, asset = USDT): Promise<void> {
    this.#proposer ??= await installStaff(this.db.owner, 'catalogue');
    this.#approver ??= await installStaff(this.db.owner, 'approver');
    const id = await ask(this.db, 'earning_rate_propose', [this.#proposer, asset, ppm, from, 'a test']);
    const status = await ask(this.db, 'proposal_approve', [this.#approver, ['earning_rate'], id]);
    if (status !== 'done') throw new Error(`the rate was not agreed to: ${id} ${status}`);
  }

  async balance(saver: Saver): Promise<{ available: bigint; earning: bigint }> {
    const { rows } = await this.db.server.query(
      'select available, earning from ledger.balances where owner_id = $1 and asset_id = $2',
      [saver.id, USDT],
    );
    return { available: BigInt(rows[0].available), earning: BigInt(rows[0].earning) };
  }

  /** `day principal interest` of each day with a record, the oldest first. */
  async record(saver: Saver): Promise<string[]> {
    const { rows } = await this.db.server.query<{ line: string }>(
      `select concat_ws(' ', day, principal, interest) as line from earning_interest where customer_id = $1 and asset_id = $2
       order by day`,
      [saver.id, USDT],
    );
    return rows.map(({ line }) => line);
  }

  async close(): Promise<void> {
    await this.db.drop();
  }
}

/** Inserts savers directly, with one ledger transfer each: the state that `earning_move` would leave on a quiet day. */
async function fillEarnings(owner: Pool, count: number, amount: bigint): Promise<void> {
  await owner.query(
    `with made as (
       insert into customers (account, nickname, password_hash)
       select 'crowd' || n || '_' || floor(random() * 1000000)::int, 'crowd', 'not a hash' from generate_series(1, $1::int) n returning id
     ), opened as materialized (select id, ledger.open_balances(id) from made)
     select count(*) from opened`,
    [count],
  );
  await owner.query(
    `select count(ledger.deposit('crowd deposit:' || c.id, sha256(c.id::text::bytea), c.id, $2::smallint, $1, 0, 0))
     from customers c where c.nickname = 'crowd'`,
    [amount, USDT],
  );
  await owner.query(
    `insert into earning_accounts (customer_id, asset_id, accrued_through, low_day, low)
     select id, $1, earning_today() - 1, earning_today(), 0 from customers where nickname = 'crowd'`,
    [USDT],
  );
  await owner.query(
    `select count(ledger.earn('crowd in:' || c.id, sha256(c.id::text::bytea), c.id, $2::smallint, $1, 0))
     from customers c where c.nickname = 'crowd'`,
    [amount, USDT],
  );
}

/** In a year that is not a leap year. */
export const START_DAY = '2027-03-01';
/** The demo's rate of USDT, in millionths. */
export const SAMPLE_PPM = 30_000;
