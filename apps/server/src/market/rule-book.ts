import { parseEntry } from '@fairtick/proof';
import type { ProductRules } from '@fairtick/trading';
import type { Queryable } from '../platform/db/database.ts';

export interface LoggedRules {
  /** Index of the `rules` entry in the log. */
  readonly id: number;
  readonly productId: number;
  /** 64 lower-case hex digits: the entry's leaf hash. */
  readonly hash: string;
  /** The number among the product's rules. */
  readonly n: number;
  readonly effectiveMs: number;
  readonly rules: ProductRules;
  readonly entry: string;
}

const MAX_CACHED = 20_000;

/** Rules as the log has them. An entry never changes, so results are cached. */
export class RuleBook {
  readonly #db: Queryable;
  readonly #byId = new Map<number, LoggedRules>();
  readonly #idByHash = new Map<string, number>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  async get(id: number): Promise<LoggedRules> {
    return this.#byId.get(id) ?? ((await this.getMany([id])).get(id) as LoggedRules);
  }

  /**
   * The rules of these ids, all of which exist: callers take ids from the log. Within a transaction pass its client as `db`: a
   * caller that holds one connection of a pool and waits for a second one can deadlock with itself.
   */
  async getMany(ids: Iterable<number>, db: Queryable = this.#db): Promise<ReadonlyMap<number, LoggedRules>> {
    const wanted = new Set(ids);
    const missing = [...wanted].filter((id) => !this.#byId.has(id));
    if (missing.length > 0) {
      const { rows } = await db.query<RulesRow>('select * from rules where id = any ($1::bigint[])', [
        missing,
      ]);
      this.#keep(rows);
    }
    const found = new Map<number, LoggedRules>();
    for (const id of wanted) {
      const rules = this.#byId.get(id);
      if (!rules) throw new Error(`no rules at log index ${id}`);
      found.set(id, rules);
    }
    return found;
  }

  /** Rules by their hashes (64 lower-case hex digits), each once, in log order; unknown hashes are skipped. */
  async byHashes(hashes: Iterable<string>): Promise<LoggedRules[]> {
    const wanted = [...new Set(hashes)];
    const missing = wanted.filter((hash) => !this.#idByHash.has(hash));
    if (missing.length > 0) {
      const { rows } = await this.#db.query<RulesRow>({
        name: 'rules-by-hash',
        text: 'select * from rules where hash = any ($1::bytea[])',
        values: [missing.map((hash) => Buffer.from(hash, 'hex'))],
      });
      this.#keep(rows);
    }
    const ids = wanted.flatMap((hash) => this.#idByHash.get(hash) ?? []);
    return [...(await this.getMany(ids)).values()].sort((a, b) => a.id - b.id);
  }

  /** The rules of each product that are in force at `timeMs` or later, now or to come. */
  async since(timeMs: number): Promise<LoggedRules[]> {
    const { rows } = await this.#db.query<RulesRow>(
      `select * from rules r where n >= coalesce(
         (select max(n) from rules e where e.product_id = r.product_id and e.effective_ms <= $1), 0)`,
      [timeMs],
    );
    return rows.map(readRules);
  }

  #keep(rows: readonly RulesRow[]): void {
    if (this.#byId.size > MAX_CACHED) {
      this.#byId.clear();
      this.#idByHash.clear();
    }
    for (const rules of rows.map(readRules)) {
      this.#byId.set(rules.id, rules);
      this.#idByHash.set(rules.hash, rules.id);
    }
  }

  /**
   * The newest rules of each product, in force or not yet.
   * @param isOwn only rules that a feed brought, not those that staff changed
   */
  async latest({ isOwn }: { isOwn: boolean }): Promise<ReadonlyMap<number, LoggedRules>> {
    const { rows } = await this.#db.query<RulesRow>(
      `select distinct on (product_id) * from rules where proposal_id is null or not $1 order by product_id, n desc`,
      [isOwn],
    );
    return new Map(rows.map((row) => [row.product_id, readRules(row)]));
  }
}

type RulesRow = { id: string; product_id: number; hash: Buffer; effective_ms: string; entry: string };

function readRules(row: RulesRow): LoggedRules {
  const entry = parseEntry(row.entry);
  if (entry?.kind !== 'rules') throw new Error(`the entry at ${row.id} is not of kind rules`);
  return {
    id: Number(row.id),
    productId: row.product_id,
    hash: row.hash.toString('hex'),
    n: entry.n,
    effectiveMs: entry.effectiveMs,
    rules: JSON.parse(entry.json) as ProductRules,
    entry: row.entry,
  };
}
