import { randomBytes, randomInt } from 'node:crypto';
import { owedLeaf, type SumNode, sumTree } from '@fairtick/proof';
import type pg from 'pg';
import type { Logger } from 'pino';
import { alone } from '../../platform/db/alone.ts';
import { perform } from '../../platform/db/call.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

/** How often to check for a new day; a day that began while no process ran is made up for at once. */
const ASK_EVERY_MS = 60_000;
/** Statement timeout, ms: it reads every balance, so ordinary timeouts are too short. */
const MOST_MS = 30 * 60_000;
/** Advisory lock, so that one process at a time makes the trees. */
const LOCK = 7043;
/** Minimum depth, so that the tree of few customers does not show how many there are. */
const LEAST_DEPTH = 4;

/**
 * Makes the trees of what is owed, once a day (UTC) for each asset, at the day's first head of the ledger that is logged. Several processes may try; one of them makes them.
 */
export class DailyLiabilities extends RecurringJob {
  readonly #address: pg.ClientConfig;

  constructor(address: pg.ClientConfig, log: Logger) {
    super(log, { everyMs: ASK_EVERY_MS, complaint: 'what is owed could not be added up' });
    this.#address = address;
  }

  /** @returns how many trees were made */
  async run(): Promise<number> {
    const address = {
      ...this.#address,
      application_name: 'fairtick liabilities',
      statement_timeout: MOST_MS,
    };
    // The lock is taken before the snapshot, so that trees from another process are visible.
    const made = await alone(address, LOCK, async (client) => {
      await client.query('begin isolation level repeatable read');
      const { rows } = await client.query<Due>('select date::text, asset_id, head from liabilities_due()');
      for (const due of rows) await keepTree(client, due);
      if (rows.length > 0) await client.query('select liabilities_tidy()');
      await client.query('commit');
      return rows.length;
    });
    return made ?? 0;
  }
}

type Due = { date: string; asset_id: number; head: string };

interface Owed {
  readonly customer: string;
  readonly amount: bigint;
}

async function keepTree(client: pg.Client, { date, asset_id, head }: Due): Promise<void> {
  const { rows } = await client.query<{ customer_id: string; amount: string }>(
    'select customer_id, amount from liabilities_at($1::smallint, $2)',
    [asset_id, head],
  );
  const owed = rows.map(
    ({ customer_id, amount }): Owed => ({ customer: customer_id, amount: BigInt(amount) }),
  );
  const { levels, places, nonces } = growTree(owed);
  const root = (levels.at(-1) as readonly SumNode[])[0] as SumNode;
  await perform(client, 'liabilities_keep', {
    date,
    asset: asset_id,
    head,
    total: String(root.sum),
    root: root.hash,
    depth: levels.length - 1,
    customers: owed.map(({ customer }) => customer),
    places,
    nonces,
    amounts: owed.map(({ amount }) => String(amount)),
    levels: levels.map(nodesBytes),
  });
}

/** A tree with every customer at a random place, among leaves without a customer. */
function growTree(owed: readonly Owed[]): {
  levels: SumNode[][];
  places: number[];
  nonces: Buffer[];
} {
  const depth = Math.max(LEAST_DEPTH, Math.ceil(Math.log2(owed.length + 1)));
  const places = shuffled(2 ** depth);
  const nonces = Array.from({ length: 2 ** depth }, () => randomBytes(32));
  const leaves: SumNode[] = [];
  for (const [at, place] of places.entries()) {
    const { customer, amount } = owed[at] ?? { customer: '', amount: 0n };
    leaves[place] = owedLeaf({ nonce: nonces[at] as Buffer, customer, amount });
  }
  return {
    levels: sumTree(leaves),
    places: places.slice(0, owed.length),
    nonces: nonces.slice(0, owed.length),
  };
}

/** Fisher–Yates shuffle. */
function shuffled(count: number): number[] {
  const places = Array.from({ length: count }, (_, place) => place);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = randomInt(at + 1);
    [places[at], places[other]] = [places[other] as number, places[at] as number];
  }
  return places;
}

export const NODE_BYTES = 48;

function nodesBytes(nodes: readonly SumNode[]): Buffer {
  const bytes = Buffer.alloc(nodes.length * NODE_BYTES);
  for (const [at, { sum, hash }] of nodes.entries()) {
    bytes.writeBigUInt64BE(sum >> 64n, at * NODE_BYTES);
    bytes.writeBigUInt64BE(sum & 0xffff_ffff_ffff_ffffn, at * NODE_BYTES + 8);
    bytes.set(hash, at * NODE_BYTES + 16);
  }
  return bytes;
}

/** Reads a stored node. */
export function readNode(bytes: Uint8Array): { sum: string; hash: string } {
  const buffer = Buffer.from(bytes);
  const sum = (buffer.readBigUInt64BE(0) << 64n) | buffer.readBigUInt64BE(8);
  return { sum: String(sum), hash: buffer.subarray(16, NODE_BYTES).toString('hex') };
}
