import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { SEEDED_ASSETS } from '../../../apps/server/src/commands/seeded-assets.ts';
import { failureOf } from '../../../apps/server/src/platform/db/database.ts';
import { asSuperuser } from './database.ts';

/** The migrated database to clone; the run's global setup makes it. */
const TEMPLATE = 'fairtick_template';
const OWNER = 'fairtick_owner';
export const DEMO: number = SEEDED_ASSETS.DEMO.id;
export const USDT: number = SEEDED_ASSETS.USDT.id;

/** One movement of a balance, as the ledger's functions take it. */
export interface Line {
  readonly owner: number;
  readonly asset?: number;
  readonly amount: bigint;
  /** The part that goes back when a reservation ends. */
  readonly returned?: bigint;
  readonly ref?: number;
}

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A database with a ledger, its assets, the house's capital, and customers as a test needs them. */
export class LedgerDatabase {
  readonly name: string;
  readonly pool: pg.Pool;
  readonly #host: string;
  #nextOwner = 1000;

  private constructor(host: string, name: string) {
    this.#host = host;
    this.name = name;
    this.pool = new pg.Pool({ host, user: OWNER, database: name, max: 24 });
    this.pool.on('error', () => {});
  }

  static async create(): Promise<LedgerDatabase> {
    const host = process.env.FAIRTICK_TEST_SOCKET;
    if (!host) throw new Error('the test database is started by the global setup');
    const name = `l_${randomBytes(6).toString('hex')}`;
    await asSuperuser(host, `create database ${name} template ${TEMPLATE} owner ${OWNER}`);
    return new LedgerDatabase(host, name);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await asSuperuser(this.#host, `drop database ${this.name} with (force)`);
  }

  /** A customer of the ledger with 10 000 DEMO. */
  async customer(): Promise<number> {
    const owner = this.#nextOwner;
    this.#nextOwner += 1;
    await this.pool.query('select ledger.open_balances($1)', [owner]);
    await this.pool.query('select ledger.reset_practice($1, $2, $3, $4)', [
      'first',
      hashOf(`first ${owner}`),
      owner,
      DEMO,
    ]);
    return owner;
  }

  /**
   * Holds stakes and posts them in one transaction, as the door of placement does; a batch names each balance once.
   * @param options `input` is what the key is used for; `db` is a client whose transaction is open
   * @returns the transfer of the first batch, or null if it exists already
   */
  async reserve(
    key: string,
    lines: readonly Line[],
    { input = key, db }: { input?: string; db?: pg.ClientBase } = {},
  ): Promise<string | null> {
    if (db) return this.#reserve(db, key, input, lines);
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const id = await this.#reserve(client, key, input, lines);
      await client.query(id === null ? 'rollback' : 'commit');
      return id;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  async #reserve(db: pg.ClientBase, key: string, input: string, lines: readonly Line[]) {
    const ids: (string | null)[] = [];
    const numbered = lines.map((line, place) => ({ ref: place + 1, asset: DEMO, ...line }));
    for (const [turn, batch] of batchesOf(numbered).entries()) {
      const id = await this.#transfer(
        'select ledger.reserve($1, $2, $3, $4, $5, $6) as id',
        [
          turn === 0 ? key : `${key} ${turn}`,
          hashOf(input),
          batch.map(({ owner }) => owner),
          batch.map(({ asset }) => asset),
          batch.map(({ amount }) => amount),
          batch.map(({ ref }) => ref),
        ],
        db,
      );
      ids.push(id);
    }
    return ids[0] ?? null;
  }

  /** Ends reservations of `amount`, of which `returned` goes back. */
  resolve(key: string, lines: readonly Line[], options: { input?: string; db?: pg.ClientBase } = {}) {
    return this.#transfer(
      'select ledger.resolve($1, $2, $3, $4, $5, $6, $7) as id',
      [
        key,
        hashOf(options.input ?? key),
        lines.map((line) => line.owner),
        lines.map((line) => line.asset ?? DEMO),
        lines.map((line) => line.amount),
        lines.map((line) => line.returned ?? 0n),
        lines.map((line, place) => line.ref ?? place + 1),
      ],
      options.db,
    );
  }

  async resetPractice(key: string, owner: number, asset = DEMO): Promise<string | null> {
    return this.#transfer('select ledger.reset_practice($1, $2, $3, $4) as id', [
      key,
      hashOf(key),
      owner,
      asset,
    ]);
  }

  async postCapital(key: string, asset: number, amount: bigint, input = key): Promise<string | null> {
    return this.#transfer('select ledger.post_capital($1, $2, $3, $4) as id', [
      key,
      hashOf(input),
      asset,
      amount,
    ]);
  }

  async balance(owner: number, asset = DEMO): Promise<{ available: bigint; held: bigint }> {
    const { rows } = await this.pool.query(
      'select available, held from ledger.balances where owner_id = $1 and asset_id = $2',
      [owner, asset],
    );
    return { available: BigInt(rows[0].available), held: BigInt(rows[0].held) };
  }

  /** The sum of postings of every account, house accounts included; by `account:asset`, zeros left out. */
  async postedBalances(): Promise<Record<string, bigint>> {
    const { rows } = await this.pool.query(
      `select account || ':' || asset_id as key, sum(amount) as balance from (
         select debit as account, asset_id, -amount as amount from ledger.postings
         union all select credit, asset_id, amount from ledger.postings) leg
       group by 1 having sum(amount) <> 0 order by 1`,
    );
    return Object.fromEntries(rows.map((row) => [row.key, BigInt(row.balance)]));
  }

  /** The rolled-up balances of the house's accounts; by `account:asset`. */
  async houseBalances(): Promise<Record<string, bigint>> {
    const { rows } = await this.pool.query(
      `select account || ':' || asset_id as key, balance from ledger.house_balances where balance <> 0 order by 1`,
    );
    return Object.fromEntries(rows.map((row) => [row.key, BigInt(row.balance)]));
  }

  /** One customer's postings in one asset, in order: the amount and the available balance after it. */
  async statement(owner: number): Promise<string[]> {
    const { rows } = await this.pool.query(
      `select debit - owner_id * 4 as from_bucket, credit - owner_id * 4 as to_bucket, debit, credit, amount, available_after
       from ledger.postings where owner_id = $1 and asset_id = $2 order by id`,
      [owner, DEMO],
    );
    const bucket = (place: string, account: string) =>
      ['available', 'held', 'earning'][Number(place)] ?? (account === '4' ? 'external' : 'house');
    return rows.map(
      (row) =>
        `${bucket(row.from_bucket, row.debit)} > ${bucket(row.to_bucket, row.credit)} ${row.amount}` +
        (row.available_after === null ? '' : ` = ${row.available_after}`),
    );
  }

  async violations(): Promise<string[]> {
    const { rows } = await this.pool.query('select rule, detail from ledger.violations()');
    return rows.map((row) => `${row.rule}: ${row.detail}`);
  }

  async #transfer(text: string, values: unknown[], db?: pg.ClientBase): Promise<string | null> {
    const { rows } = await (db ?? this.pool).query(text, values);
    return rows[0].id;
  }
}

/** The name of the refusal of a call, or `accepted`. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    const name = failureOf(error);
    if (name === null) throw error;
    return name;
  }
}

/** Lines in batches, each with one line of a balance at most. */
function batchesOf<T extends { owner: number; asset: number }>(lines: readonly T[]): T[][] {
  const batches: T[][] = [];
  for (const line of lines) {
    const isFree = (batch: T[]) =>
      !batch.some(({ owner, asset }) => owner === line.owner && asset === line.asset);
    const batch = batches.find(isFree);
    if (batch) batch.push(line);
    else batches.push([line]);
  }
  return batches;
}
