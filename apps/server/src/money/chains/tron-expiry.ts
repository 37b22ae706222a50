import { type TronBatch, tronTransaction } from '@fairtick/protocol/payout-file';
import type { Logger } from 'pino';
import type { PayingTron } from '../../config/chains-file.ts';
import { perform } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import type { TronPayoutNode } from './tron-payout-node.ts';

const BLOCKS_AT_ONCE = 5;
/** The most batches of one round; the next one goes on. */
const MOST = 50;

interface Due {
  readonly id: string;
  readonly batch: TronBatch;
  /** Nonces of payouts that no block has. */
  readonly open: readonly string[];
  /** The final block up to which the transactions of the paying address are recorded. */
  readonly height: number;
}

/**
 * Records which batches on TRON have expired, so that their payouts may be made again. This takes all of the following: the paying
 * address's transactions are read from every block up to a final one that is later than the expiration, and none is of the batch;
 * both nodes have that block; and neither finds one of the transactions.
 */
export class TronExpiry {
  readonly chain: PayingTron;
  readonly #db: Pool;
  readonly #node: TronPayoutNode;
  readonly #second: TronPayoutNode;
  readonly #log: Logger;
  #isChecked = false;

  constructor(parts: {
    chain: PayingTron;
    db: Pool;
    node: TronPayoutNode;
    second: TronPayoutNode;
    log: Logger;
  }) {
    this.chain = parts.chain;
    this.#db = parts.db;
    this.#node = parts.node;
    this.#second = parts.second;
    this.#log = parts.log;
  }

  async round(isStopped: () => boolean = () => false): Promise<void> {
    if (!this.#isChecked) {
      await Promise.all([this.#node.demandChain(), this.#second.demandChain()]);
      this.#isChecked = true;
    }
    const { rows } = await this.#db.query<{ address: string; height: number; final: number }>(
      `select a.address, a.height::float8 as height, h.final::float8 as final
       from payout_accounts a join chain_heads h using (chain) where chain = $1 and a.height < h.final`,
      [this.chain.chain],
    );
    for (const account of rows) if (!isStopped()) await this.#read(account);
    for (const due of await this.#due()) {
      if (isStopped()) return;
      await this.#expire(due).catch((error: unknown) =>
        this.#log.error({ err: error, batch: due.id }, 'a batch could not be found to have expired'),
      );
    }
  }

  async #read({ address, height, final }: { address: string; height: number; final: number }): Promise<void> {
    const { chain, mostBlocks } = this.chain;
    const to = Math.min(final, height + mostBlocks);
    const txids: string[] = [];
    for (let start = height + 1; start <= to; start += BLOCKS_AT_ONCE) {
      const heights = Array.from({ length: Math.min(BLOCKS_AT_ONCE, to + 1 - start) }, (_, at) => start + at);
      const some = await Promise.all(heights.map((one) => this.#node.transactionsOf(address, one)));
      txids.push(...some.flat());
    }
    await perform(this.#db, 'payout_transactions_read', { chain, address, after: height, to, txids });
  }

  async #due(): Promise<Due[]> {
    const { rows } = await this.#db.query<Due>(
      `select b.id::text, b.content as batch, a.height::float8 as height, array_agg(p.nonce::text order by p.nonce) as open
       from payouts p join payout_accounts a using (chain, address)
       join payout_batches b on b.chain = p.chain and b.content ->> 'from' = p.address
         and b.content -> 'outputs' @> jsonb_build_array(jsonb_build_object('nonce', p.nonce::text))
       where p.chain = $1 and p.state in ('prepared', 'sending', 'sent') and b.expired_at is null
         and (b.content ->> 'expiration')::bigint < $2
       group by b.id, a.height order by b.id limit ${MOST}`,
      [this.chain.chain, Date.now()],
    );
    return rows;
  }

  async #expire({ id, batch, open, height }: Due): Promise<void> {
    const expiration = Number(batch.expiration);
    const block = await this.#node.blockAt(height);
    if (block === null || block.time <= expiration) return;
    const txids = open.map(
      (nonce) =>
        tronTransaction(
          batch,
          batch.outputs.findIndex((output) => output.nonce === nonce),
        ).txid,
    );
    for (const node of [this.#node, this.#second]) {
      if ((await node.hashAt(height)) !== block.hash) return;
      for (const txid of txids)
        if ((await node.receipt(txid)) !== null) {
          this.#log.warn({ batch: id, txid }, 'a block has a transaction of a batch that has expired');
          return;
        }
    }
    await perform(this.#db, 'payout_expire', { batch: id, height, txids });
  }
}
