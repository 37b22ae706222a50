import { points } from '@fairtick/money';
import {
  Frontier,
  formatCheckpoint,
  HASH_BYTES,
  leafHash,
  type NoteSigner,
  signNote,
  timeExtension,
} from '@fairtick/proof';
import { boolArray, byteaArray, int2Array, int8Array, textArray } from '../../platform/db/binary-arrays.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { type CandleBatch, rollUpTicks } from '../candles/candle-batch.ts';
import type { LogHead } from '../log/log-head.ts';
import { LOG_KINDS } from '../log/log-kinds.ts';
import { packQuotes } from '../quote-codec.ts';
import type { DraftEntry, ProductState } from './draft-entry.ts';

/** The log's clock at the moment of an append. */
export interface LogClockReading {
  /** The log's time: at or after every entry's. */
  readonly timeMs: number;
  /** Added to the database's clock this gives the log's time. */
  readonly offsetMs: number;
  /** The append belongs to grid times that were missed, and more follow at once: no checkpoint is signed with its time. */
  readonly isBehind?: boolean;
}

/** Levels whose complete subtrees are stored: those of tiles. */
const STORED_LEVELS = [8, 16, 24, 32, 40];
/** Prices of a gap's quotes are stored as differences to this. */
const NO_PRICE = points(0n);

const secondOf = (timeMs: number): number => Math.floor(timeMs / 1_000);

/** A series of appends, each started before the previous one is written. */
interface Row {
  /** The tree's right edge after all of them. */
  frontier: Frontier;
  /** Settles with the last of them. */
  written: Promise<unknown>;
}

/**
 * Appends to the log under one lease. Of the log's past it keeps only the tree's right edge. A failed append leaves the edge
 * unchanged, and a lost lease ends the writer.
 */
export class LogWriter {
  readonly #db: Queryable;
  readonly #signer: NoteSigner;
  readonly #origin: string;
  readonly #epoch: number;
  /** The committed right edge. */
  #frontier: Frontier;
  #row: Row;
  #lastBatch: number;
  #signedAtMs = 0;

  constructor(db: Queryable, head: LogHead, { epoch, signer }: { epoch: number; signer: NoteSigner }) {
    this.#db = db;
    this.#signer = signer;
    this.#origin = head.origin;
    this.#epoch = epoch;
    this.#lastBatch = head.lastBatch;
    this.#frontier = restoreFrontier(head);
    this.#row = { frontier: this.#frontier, written: Promise.resolve() };
  }

  /** Number of entries, including those being written. */
  get size(): number {
    return this.#row.frontier.size;
  }

  /** The committed tree's root. */
  get root(): Buffer {
    return Buffer.from(this.#frontier.root());
  }

  /** The last batch of acceptances in the log. */
  get lastBatch(): number {
    return this.#lastBatch;
  }

  /** The log's time of the last checkpoint that this writer signed; 0: none. */
  get signedAtMs(): number {
    return this.#signedAtMs;
  }

  /**
   * Appends entries, the products' states after them and their candles in one transaction; the first append of each second signs
   * a checkpoint. Without entries it is a heartbeat that keeps the lease and moves the log's time. A call during an earlier one
   * is hashed at once and written after it, and fails if the earlier one fails.
   * @param db the caller's transaction, for other writes in the same transaction
   * @throws DatabaseError LEASE_LOST when the lease is lost, LOG_MOVED when the log does not end at the expected size,
   *   LOG_AHEAD when its time leads the database's clock
   */
  async append(
    entries: readonly DraftEntry[],
    states: { before: ReadonlyMap<number, ProductState>; after: readonly ProductState[] },
    clock: LogClockReading,
    db: Queryable = this.#db,
  ): Promise<void> {
    const row = this.#row;
    const { size } = row.frontier;
    const frontier = row.frontier.clone();
    const nodes: { level: number; index: number; hash: Uint8Array }[] = [];
    for (const entry of entries) {
      frontier.append(leafHash(entry.text), (level, index, hash) => {
        if (STORED_LEVELS.includes(level)) nodes.push({ level, index, hash });
      });
    }
    const root = frontier.root();
    // Compares seconds, not the time since the last checkpoint: an append one millisecond early would delay the checkpoint to the
    // next append.
    const isDue = !clock.isBehind && secondOf(clock.timeMs) > secondOf(this.#signedAtMs);
    const note = isDue ? this.#sign(frontier.size, root, clock.timeMs) : null;
    const ticks = entries.filter((entry) => entry.kind === 'tick');
    const candles = rollUpTicks(ticks, (productId) => states.before.get(productId)?.tick?.timeMs ?? null);
    const call = APPEND.with({
      epoch: this.#epoch,
      size,
      root,
      peaks: peaksOf(frontier),
      timeMs: clock.timeMs,
      offsetMs: clock.offsetMs,
      note,
      ...entryColumns(entries),
      nodeLevels: int2Array(nodes.map((node) => node.level)),
      nodeIndexes: int8Array(nodes.map((node) => node.index)),
      nodes: byteaArray(nodes.map((node) => node.hash)),
      ...stateColumns(states.after),
      ...candleColumns(candles),
      ...batchColumns(entries, size),
      ...fixColumns(entries, size),
    });
    row.frontier = frontier;
    row.written = row.written.then(() => db.query(call));
    try {
      await row.written;
    } catch (error) {
      // All appends of this series fail with it; later ones start from the committed edge.
      if (this.#row === row) this.#row = { frontier: this.#frontier, written: Promise.resolve() };
      throw error;
    }
    this.#frontier = frontier;
    if (isDue) this.#signedAtMs = clock.timeMs;
    for (const entry of entries) if (entry.kind === 'orders') this.#lastBatch = entry.lastBatch;
  }

  #sign(size: number, root: Uint8Array, timeMs: number): string {
    const extensions = [timeExtension(timeMs)];
    return signNote(formatCheckpoint({ origin: this.#origin, size, root, extensions }), this.#signer);
  }
}

const APPEND = new NamedCall('log_append', {
  epoch: 'bigint',
  size: 'bigint',
  root: 'bytea',
  peaks: 'bytea',
  timeMs: 'bigint',
  offsetMs: 'bigint',
  note: 'text',
  kinds: 'smallint[]',
  times: 'bigint[]',
  products: 'smallint[]',
  ns: 'bigint[]',
  prices: 'bigint[]',
  rules: 'bigint[]',
  quotes: 'bytea[]',
  bodies: 'text[]',
  nodeLevels: 'smallint[]',
  nodeIndexes: 'bigint[]',
  nodes: 'bytea[]',
  stateProducts: 'smallint[]',
  stateNs: 'bigint[]',
  stateTimes: 'bigint[]',
  tickNs: 'bigint[]',
  tickTimes: 'bigint[]',
  tickPrices: 'bigint[]',
  tickIndexes: 'bigint[]',
  gaps: 'text[]',
  gapTimes: 'bigint[]',
  ordersFrom: 'bigint[]',
  stateRules: 'bigint[]',
  candleProducts: 'smallint[]',
  candleTimes: 'bigint[]',
  opens: 'bigint[]',
  highs: 'bigint[]',
  lows: 'bigint[]',
  closes: 'bigint[]',
  volumes: 'bigint[]',
  turnovers: 'bigint[]',
  endedProducts: 'smallint[]',
  endedTimes: 'bigint[]',
  firstBatches: 'bigint[]',
  lastBatches: 'bigint[]',
  batchEntries: 'bigint[]',
  fixEntries: 'bigint[]',
  fixTimes: 'bigint[]',
  areThin: 'boolean[]',
  areOpen: 'boolean[]',
});

/** The head's form of the tree: its peaks, largest first; the size is a separate column. */
function peaksOf(frontier: Frontier): Uint8Array {
  return frontier.toBytes().subarray(8);
}

function restoreFrontier(head: LogHead): Frontier {
  const bytes = Buffer.alloc(8 + head.peaks.length);
  bytes.writeBigUInt64BE(BigInt(head.size));
  head.peaks.copy(bytes, 8);
  const frontier = Frontier.fromBytes(bytes);
  if (!frontier || head.root.length !== HASH_BYTES || !head.root.equals(frontier.root())) {
    throw new Error('the log head does not fit its own root');
  }
  return frontier;
}

function entryColumns(entries: readonly DraftEntry[]) {
  const quoted = entries.map((entry) => (entry.kind === 'tick' || entry.kind === 'gap' ? entry : null));
  return {
    kinds: int2Array(entries.map((entry) => LOG_KINDS[entry.kind])),
    times: int8Array(entries.map((entry) => entry.timeMs)),
    products: int2Array(entries.map((entry) => ('productId' in entry ? entry.productId : null))),
    ns: int8Array(entries.map((entry) => ('n' in entry ? entry.n : null))),
    prices: int8Array(entries.map((entry) => ('price' in entry ? entry.price : null))),
    rules: int8Array(quoted.map((entry) => entry?.rulesId ?? null)),
    quotes: byteaArray(
      quoted.map((entry) => entry && packQuotes(entry.quotes, { price: NO_PRICE, ...entry })),
    ),
    bodies: textArray(entries.map(bodyOf)),
  };
}

/** The part of an entry that its columns do not hold: a gap's reason, or the whole text. */
function bodyOf(entry: DraftEntry): string | null {
  if (entry.kind === 'tick') return null;
  return entry.kind === 'gap' ? entry.reason : entry.text;
}

function stateColumns(states: readonly ProductState[]) {
  return {
    stateProducts: int2Array(states.map((state) => state.productId)),
    stateNs: int8Array(states.map((state) => state.lastN)),
    stateTimes: int8Array(states.map((state) => state.lastMs)),
    tickNs: int8Array(states.map((state) => state.tick?.n ?? null)),
    tickTimes: int8Array(states.map((state) => state.tick?.timeMs ?? null)),
    tickPrices: int8Array(states.map((state) => state.tick?.price ?? null)),
    tickIndexes: int8Array(states.map((state) => state.tick?.index ?? null)),
    gaps: textArray(states.map((state) => state.gap?.reason ?? null)),
    gapTimes: int8Array(states.map((state) => state.gap?.timeMs ?? null)),
    ordersFrom: int8Array(states.map((state) => state.ordersFromMs)),
    stateRules: int8Array(states.map((state) => state.rulesId)),
  };
}

function candleColumns({ minutes, ended }: CandleBatch) {
  return {
    candleProducts: int2Array(minutes.map((minute) => minute.productId)),
    candleTimes: int8Array(minutes.map((minute) => minute.timeMs)),
    opens: int8Array(minutes.map((minute) => minute.open)),
    highs: int8Array(minutes.map((minute) => minute.high)),
    lows: int8Array(minutes.map((minute) => minute.low)),
    closes: int8Array(minutes.map((minute) => minute.close)),
    volumes: int8Array(minutes.map((minute) => minute.volume)),
    turnovers: int8Array(minutes.map((minute) => minute.turnover)),
    endedProducts: int2Array(ended.map((minute) => minute.productId)),
    endedTimes: int8Array(ended.map((minute) => minute.timeMs)),
  };
}

function batchColumns(entries: readonly DraftEntry[], size: number) {
  const orders = entries.flatMap((entry, place) => (entry.kind === 'orders' ? [{ ...entry, place }] : []));
  return {
    firstBatches: int8Array(orders.map(({ firstBatch }) => firstBatch)),
    lastBatches: int8Array(orders.map(({ lastBatch }) => lastBatch)),
    batchEntries: int8Array(orders.map(({ place }) => size + place)),
  };
}

function fixColumns(entries: readonly DraftEntry[], size: number) {
  const fixes = entries.flatMap((entry, place) =>
    entry.kind === 'fix' || entry.kind === 'close' ? [{ ...entry, place }] : [],
  );
  return {
    fixEntries: int8Array(fixes.map(({ place }) => size + place)),
    fixTimes: int8Array(fixes.map(({ fixMs }) => fixMs)),
    areThin: boolArray(fixes.map(({ isThin }) => isThin)),
    areOpen: boolArray(fixes.map(({ isOpen }) => isOpen)),
  };
}
