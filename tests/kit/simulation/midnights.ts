import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../hostile/random.ts';
import { EarningsHouse, type Saver, START_DAY } from '../installation/earnings-house.ts';
import type { EarningMove } from '../judges/naive-interest.ts';
import { ask, USDT } from '../people/money.ts';

const UNIT = 1_000_000n;

/** One saver's moves and their results. */
export interface Savings {
  /** In the ledger's order, on the days that the ledger names. */
  readonly moves: EarningMove[];
  /** Moves whose amount or day in the ledger differs from the request; must be empty. */
  readonly strange: string[];
  /** `day principal interest`, as booked. */
  readonly booked: string[];
}

interface Asked {
  readonly amount: bigint;
  /** The day before and after the call. */
  readonly from: number;
  readonly to: number;
}

/**
 * Savers move money in and out while days last a few milliseconds, so that most moves cross a midnight; two accruals and a reader
 * run meanwhile. Ends after this many midnights, with all days booked.
 */
export class Midnights {
  readonly house: EarningsHouse;
  readonly #count: number;
  readonly #dayMs: number;
  readonly #random: Random;

  private constructor(house: EarningsHouse, options: { count: number; dayMs: number; random: Random }) {
    this.house = house;
    this.#count = options.count;
    this.#dayMs = options.dayMs;
    this.#random = options.random;
  }

  static async open(options: { count: number; dayMs: number; random: Random }): Promise<Midnights> {
    return new Midnights(await EarningsHouse.open(), options);
  }

  async pass(savers: number): Promise<Savings[]> {
    const { house } = this;
    const people = await Promise.all(Array.from({ length: savers }, () => house.saver(100_000n * UNIT)));
    await this.#shortenDays();
    const [asked] = await Promise.all([
      Promise.all(people.map((saver) => this.#move(saver))),
      this.#untilLast(async () => void (await ask(house.db, 'earning_accrue', [4]))),
      this.#untilLast(async () => void (await ask(house.db, 'earning_accrue', [100]))),
      this.#untilLast(async () => {
        await ask(house.db, 'earning_look', [(people[this.#below(savers)] as Saver).id]);
      }),
    ]);
    await house.accrue();
    return Promise.all(people.map((saver, place) => this.#savingsOf(saver, asked[place] as Asked[])));
  }

  /** Makes each day last `dayMs` of the true clock; the last day does not end. */
  async #shortenDays(): Promise<void> {
    await this.house.db.owner.query(
      `create or replace function public.earning_today() returns date volatile language sql set search_path = public, pg_temp as $$
         select date '${START_DAY}' + least(${this.#count}, floor((extract(epoch from pg_catalog.clock_timestamp()) * 1000 - ${Date.now()})
           / ${this.#dayMs})::int)
       $$`,
    );
  }

  async #today(): Promise<number> {
    const { rows } = await this.house.db.server.query<{ day: number }>(
      `select earning_today() - date '${START_DAY}' as day`,
    );
    return (rows[0] as { day: number }).day;
  }

  async #untilLast(work: () => Promise<void>): Promise<void> {
    while ((await this.#today()) < this.#count) {
      await work();
      await sleep(1);
    }
  }

  async #move(saver: Saver): Promise<Asked[]> {
    const asked: Asked[] = [];
    await this.#untilLast(async () => {
      const { available, earning } = await this.house.balance(saver);
      // Sometimes all of it, so that accounts are empty for some days.
      const out = this.#below(4) === 0 ? earning : BigInt(this.#below(Number(earning) + 1));
      const amount = earning > 0n && this.#below(2) === 0 ? -out : BigInt(1 + this.#below(Number(available)));
      if (amount === 0n) return;
      const from = await this.#today();
      const refused = await this.house.move(saver, amount);
      if (refused !== null) throw new Error(`a move of ${amount} was refused: ${refused}`);
      asked.push({ amount, from, to: await this.#today() });
      await sleep(this.#below(3 * this.#dayMs));
    });
    return asked;
  }

  async #savingsOf(saver: Saver, asked: readonly Asked[]): Promise<Savings> {
    const { server } = this.house.db;
    const { rows: posted } = await server.query<{ day: number; amount: string }>(
      `select to_date(p.ref::text, 'YYYYMMDD') - date '${START_DAY}' as day,
         case t.kind when 'earn_in' then p.amount else -p.amount end as amount
       from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
       where p.owner_id = $1 and p.asset_id = $2 and t.kind in ('earn_in', 'earn_out') order by p.id`,
      [saver.id, USDT],
    );
    const moves = posted.map(({ day, amount }) => ({ day, amount: BigInt(amount) }));
    const strange = asked.flatMap(({ amount, from, to }, place) => {
      const move = moves[place];
      return move && move.amount === amount && move.day >= from && move.day <= to
        ? []
        : [`${amount} between ${from} and ${to}: ${move?.amount} on ${move?.day}`];
    });
    if (moves.length !== asked.length) strange.push(`${moves.length} of ${asked.length} moves`);
    const { rows: booked } = await server.query<{ line: string }>(
      `select concat_ws(' ', day - date '${START_DAY}', principal, interest) as line from earning_interest
       where customer_id = $1 and asset_id = $2 order by day`,
      [saver.id, USDT],
    );
    return { moves, strange, booked: booked.map(({ line }) => line) };
  }

  #below(bound: number): number {
    return Math.floor(this.#random.next() * bound);
  }
}
