import { setImmediate } from 'node:timers/promises';
import { parseAmount } from '@fairtick/money';
import type { Logger } from 'pino';
import type { ChainSettings } from '../../config/chains-file.ts';
import type { Assets } from '../../platform/assets.ts';
import { call, perform } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { deriveAddress } from './chain-addresses.ts';
import { takeHoldings } from './chain-holdings.ts';
import type { Block, ChainSource, Payment } from './chain-source.ts';

/** The most deposits that one round settles; the next round goes on. */
const MOST_STEPS = 500;
/** More addresses than are assigned at once. */
const OUT_OF_ORDER = 1_000;
const MAX_AMOUNT = 2n ** 63n - 1n;

interface Due {
  readonly id: string;
  readonly step: 'credit' | 'take_back';
  readonly asset_id: number | null;
  readonly amount: string;
  readonly contract: string;
  readonly address: string;
  readonly txid: string;
  readonly value: string;
  /** Of all payments of this token to this address in this block. */
  readonly together: string;
  readonly height: number;
  readonly hash: string;
}

/**
 * Follows one chain. The database holds the cursor and admits each range once, so that two watchers, or one that was killed at any
 * point, double and lose nothing.
 */
export class ChainWatcher {
  readonly chain: ChainSettings;
  readonly #db: Pool;
  readonly #assets: Assets;
  readonly #source: ChainSource;
  readonly #second: ChainSource | null;
  readonly #log: Logger;
  readonly #known = new Set<string>();
  #lastAddress = 0;
  #highest = 0;
  #isChecked = false;

  constructor(parts: {
    chain: ChainSettings;
    db: Pool;
    assets: Assets;
    source: ChainSource;
    second: ChainSource | null;
    log: Logger;
  }) {
    this.chain = parts.chain;
    this.#db = parts.db;
    this.#assets = parts.assets;
    this.#source = parts.source;
    this.#second = parts.second;
    this.#log = parts.log;
  }

  /** Reads what is new, and settles what is due by it. */
  async round(isStopped: () => boolean = () => false): Promise<void> {
    if (!this.#isChecked) {
      await Promise.all([this.#source.demandChain(), this.#second?.demandChain()]);
      this.#isChecked = true;
    }
    const head = await this.#source.head();
    let last = await this.#commonBlock();
    // No block is read yet, or the node is behind.
    if (last === null || head.height < last.height) return;
    // Read after the head: an address of a payment up to it was assigned before.
    const addresses = await this.#addresses();
    if (addresses.length > 0) await this.#source.watch?.(this.#highest, last.height);
    while (last.height < head.height) {
      if (isStopped()) return;
      const next = await this.#read(last, head, addresses);
      if (next === null) return;
      last = next;
    }
    await this.#settle(last.height);
    await this.#finalise(last.height, addresses, isStopped);
    await takeHoldings({ chain: this.chain, db: this.#db, assets: this.#assets, source: this.#source });
  }

  /** The newest block that was read and is still in the chain. Those above it are read again. */
  async #commonBlock(): Promise<Block | null> {
    const { chain } = this.chain;
    const { rows } = await this.#db.query<Block>(
      'select height::float8 as height, hash from chain_blocks where chain = $1 order by height desc',
      [chain],
    );
    if (rows.length === 0) {
      const { height, hash } = (await this.#source.final()) ?? (await this.#source.head());
      await perform(this.#db, 'chain_begin', { chain, height, hash });
      return null;
    }
    for (const [index, block] of rows.entries()) {
      const hash = await this.#source.hashAt(block.height);
      if (hash === null) return null;
      if (hash !== block.hash) continue;
      if (index > 0) {
        this.#log.warn({ chain, height: block.height }, 'the chain has replaced its newest blocks');
        await perform(this.#db, 'chain_rewind', { chain, height: block.height });
      }
      return block;
    }
    throw new Error(`the node contradicts the final blocks of ${chain}`);
  }

  /** Null: the chain was replaced meanwhile, or another watcher read the range. */
  async #read(last: Block, head: Block, addresses: readonly string[]): Promise<Block | null> {
    const { chain, network, mostBlocks } = this.chain;
    const to = Math.min(last.height + mostBlocks, head.height);
    const hash = to === head.height ? head.hash : await this.#source.hashAt(to);
    const payments = await this.#payments(last.height + 1, to, addresses);
    if (hash === null || (await this.#source.hashAt(to)) !== hash) return null;
    const range = { chain, after: last.height, afterHash: last.hash, to, hash };
    const isRead = await call<boolean>(this.#db, 'chain_read', { ...range, network, payments });
    return isRead ? { height: to, hash } : null;
  }

  async #finalise(most: number, addresses: readonly string[], isStopped: () => boolean): Promise<void> {
    const { chain, network, mostBlocks } = this.chain;
    const block = await this.#source.final();
    if (block === null) return;
    const { rows } = await this.#db.query<{ final: number }>(
      'select final::float8 as final from chain_heads where chain = $1',
      [chain],
    );
    let done = rows[0]?.final ?? 0;
    const other = this.#second === null ? block : await this.#second.final();
    const until = Math.max(done, Math.min(block.height, other?.height ?? 0, most));
    do {
      const final = Math.min(done + mostBlocks, until);
      const hash = final === block.height ? block.hash : await this.#source.hashAt(final);
      if (hash === null) return;
      const payments = final > done ? await this.#payments(done + 1, final, addresses) : '[]';
      await perform(this.#db, 'chain_finalise', { chain, final, hash, network, payments });
      done = final;
    } while (done < until && !isStopped());
  }

  /** Each step alone, so that one that fails holds up no other. */
  async #settle(head: number): Promise<void> {
    const { chain, network, confirmations } = this.chain;
    const { rows } = await this.#db.query<Due>(
      `select d.id, case when d.height is null then 'take_back' else 'credit' end as step, d.asset_id, d.amount,
         d.contract, d.address, d.txid, d.value::text, d.height::float8 as height, d.hash,
         (select sum(s.value)::text from chain_deposits s
           where (s.chain, s.address, s.contract, s.hash) = (d.chain, d.address, d.contract, d.hash)) as together
       from chain_deposits d where d.chain = $1 and d.state <> 'final' and (
         (d.state in ('confirming', 'held') and $2 - d.height + 1 >= $3)
         or (d.height is null and d.state <> 'reverted')
         or (d.state = 'reverted' and d.request_id is not null and d.taken < d.amount
           and exists (select from ledger.balances b join chain_customers c on c.customer_id = b.owner_id
             join chain_addresses a on a.number = c.number and a.chain = d.chain and a.address = d.address
             where b.asset_id = d.asset_id and b.available > 0)))
       order by d.id limit $4`,
      [chain, head, confirmations, MOST_STEPS],
    );
    for (const due of rows)
      try {
        if (due.step === 'take_back') await perform(this.#db, 'chain_take_back', { id: due.id });
        else if (await this.#isShort(due))
          await perform(this.#db, 'chain_refuse', { id: due.id, reason: 'fee' });
        else if (await this.#isAgreed(due)) await perform(this.#db, 'chain_credit', { id: due.id, network });
      } catch (error) {
        this.#log.error({ err: error, deposit: due.id }, 'a deposit of a chain could not be settled');
      }
  }

  /** Whether less has arrived than the token logged: some keep a fee of each transfer. */
  async #isShort({ contract, address, height, together }: Due): Promise<boolean> {
    const before = await this.#source.holding(contract, address, height - 1);
    const after = await this.#source.holding(contract, address, height);
    return before !== null && after !== null && after - before < BigInt(together);
  }

  /** Whether the second node says the same of the payment, where the amount is so large that it is asked. */
  async #isAgreed({ id, asset_id, amount, address, txid, value, height, hash }: Due): Promise<boolean> {
    if (this.#second === null || asset_id === null) return true;
    const asset = this.#assets.byId(asset_id);
    const bounds = this.chain.tokens.flatMap(({ asset: code, checkFrom }) =>
      code === asset.code && checkFrom !== undefined ? [parseAmount(checkFrom, asset.scale) ?? 0n] : [],
    );
    if (!bounds.some((bound) => BigInt(amount) >= bound)) return true;
    const head = await this.#second.head();
    await this.#second.watch?.(this.#highest, height - 1);
    const found = await this.#second.payments(height, height, [address]);
    const isDeep = head.height - height + 1 >= this.chain.confirmations;
    if (isDeep && found.some((one) => one.txid === txid && one.hash === hash && one.value === BigInt(value)))
      return true;
    this.#log.warn({ deposit: id }, 'the second node does not confirm a deposit');
    return false;
  }

  /**
   * Those that are new are added to those that are known. A few are read again, because they may be committed out of order. An address
   * that the chain's key does not give is not the house's, whoever has put it there.
   */
  async #addresses(): Promise<string[]> {
    const { rows } = await this.#db.query<{ id: number; number: number; address: string }>(
      'select id::float8 as id, number, address from chain_addresses where chain = $1 and id > $2 order by id',
      [this.chain.chain, this.#lastAddress - OUT_OF_ORDER],
    );
    for (const { number, address } of rows.filter((row) => !this.#known.has(row.address))) {
      // Each takes a millisecond, and at the start there are all of them: the lease has to be renewed meanwhile.
      await setImmediate();
      if (deriveAddress(this.chain, number) === address) {
        this.#known.add(address);
        this.#highest = Math.max(this.#highest, number);
      } else this.#log.error({ number }, 'an address is not of the key of its chain');
    }
    this.#lastAddress = rows.at(-1)?.id ?? this.#lastAddress;
    return [...this.#known];
  }

  /** As JSON for the database. */
  async #payments(from: number, to: number, addresses: readonly string[]): Promise<string> {
    const found = addresses.length === 0 ? [] : await this.#source.payments(from, to, addresses);
    return JSON.stringify(
      found.map((payment) => ({ ...payment, ...this.#worth(payment), value: `${payment.value}` })),
    );
  }

  /** The asset and its smallest units; null for a token that is not taken, and an amount that no balance can have. */
  #worth({ contract, value }: Payment): { asset_id: number | null; amount: string | null } {
    const token = this.chain.tokens.find((one) => one.contract === contract);
    const asset = token ? this.#assets.byCode(token.asset) : null;
    if (!token || !asset) return { asset_id: null, amount: null };
    const places = BigInt(asset.scale - token.decimals);
    const amount = places >= 0n ? value * 10n ** places : value / 10n ** -places;
    return { asset_id: asset.id, amount: amount > 0n && amount <= MAX_AMOUNT ? `${amount}` : null };
  }
}
