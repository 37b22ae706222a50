import type { PayoutBatch } from '@fairtick/protocol/payout-file';
import type { Logger } from 'pino';
import { isOfHouse, type PayingChain } from '../../config/chains-file.ts';
import { call, perform } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import type { PayoutNode, Receipt } from './chain-source.ts';
import { signedFault } from './signed-payouts.ts';

/** The most payouts of one round; the next one goes on. */
const MOST = 500;

interface Signed {
  readonly txid: string;
  readonly raw: string;
  readonly batch: PayoutBatch;
}

interface Open {
  readonly id: string;
  /** Of the house; it pays. On Bitcoin an input. */
  readonly address: string;
  readonly nonce: string;
  readonly recipient: string;
  readonly contract: string;
  readonly value: string;
  readonly txid: string | null;
  readonly state: string;
  /** The newest first: another one has lower fees. */
  readonly signed: readonly Signed[];
}

interface Account {
  readonly address: string;
  /** Null before a batch has it. */
  readonly owner: string | null;
  /** Numbers that its batches have. */
  readonly numbers: number;
}

interface Heads {
  readonly head: number;
  readonly final: number;
  /** The number of the next transaction by a block that every node has long had. */
  readonly nonce: number;
}

/**
 * Sends what is signed on one chain, again until a block has it, and ends it by final blocks. All is in the database before it is
 * sent, and every step may be repeated: two senders, or one that was killed at any point, pay nothing twice and lose nothing.
 */
export class PayoutSender {
  readonly chain: PayingChain;
  readonly #db: Pool;
  readonly #node: PayoutNode;
  readonly #second: PayoutNode | null;
  readonly #log: Logger;
  #isChecked = false;

  constructor(parts: {
    chain: PayingChain;
    db: Pool;
    node: PayoutNode;
    second: PayoutNode | null;
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
      await Promise.all([this.#node.demandChain(), this.#second?.demandChain()]);
      this.#isChecked = true;
    }
    const heads = new Map<string, Heads>();
    for (const account of await this.#accounts()) {
      const read = await this.#heads(account);
      if (read !== null) heads.set(account.address, read);
    }
    for (const payout of await this.#open()) {
      if (isStopped()) return;
      const head = heads.get(payout.address);
      if (head === undefined) continue;
      await this.#follow(payout, head).catch((error: unknown) =>
        this.#log.error({ err: error, payout: payout.id }, 'a payout could not be followed'),
      );
    }
  }

  /** The address that pays, and earlier ones that have open payouts or were written off. */
  async #accounts(): Promise<Account[]> {
    const { chain, payouts } = this.chain;
    const { rows } = await this.#db.query<Account>(
      `select p.address, max(p.nonce)::float8 + 1 as numbers,
         (select b.content ->> 'change' from payout_batches b where b.chain = $1 and b.content ->> 'from' = p.address limit 1) as owner
       from payouts p where p.chain = $1 group by p.address
       having bool_or(p.state not in ('paid', 'failed') or p.reason = 'unsigned') limit ${MOST}`,
      [chain],
    );
    const { address } = payouts;
    return [...rows.filter((one) => one.address !== address), { address, owner: null, numbers: 0 }];
  }

  /** Null before the watcher has read the chain. What is final is what the watcher has taken for final. */
  async #heads({ address, owner, numbers }: Account): Promise<Heads | null> {
    const { chain, confirmations } = this.chain;
    const { rows } = await this.#db.query<{ final: number }>(
      'select final::float8 as final from chain_heads where chain = $1',
      [chain],
    );
    if (!rows[0]) return null;
    const { final } = rows[0];
    // An input that is spent has no further number.
    const nonce = boundedBy(numbers, await this.#node.nonceAt(address, final));
    const isNamed = isOfHouse(this.chain, owner ?? address);
    await perform(this.#db, 'payout_account_look', { chain, address, nonce, isNamed });
    const [{ height }, before] = await Promise.all([
      this.#node.head(),
      this.#node.nonceAt(address, Math.max(0, final - confirmations)),
    ]);
    return { head: height, final, nonce: before };
  }

  async #open(): Promise<Open[]> {
    const { rows } = await this.#db.query<Open>(
      `select p.id::text, p.address, p.nonce::text, p.recipient, p.contract, p.value::text, p.txid, p.state,
         coalesce((select json_agg(json_build_object('txid', s.txid, 'raw', s.raw, 'batch', b.content) order by b.id desc)
           from payout_signatures s join payout_batches b on b.id = s.batch_id where s.payout_id = p.id), '[]') as signed
       from payouts p where p.chain = $1 and p.state not in ('paid', 'failed') order by p.nonce limit ${MOST}`,
      [this.chain.chain],
    );
    return rows;
  }

  async #follow(payout: Open, heads: Heads): Promise<void> {
    const { id } = payout;
    for (const { txid, batch } of payout.signed) {
      const receipt = await this.#inChain(this.#node, txid);
      if (receipt !== null) return this.#mined(payout, heads, { txid, receipt, cancels: batch.cancels });
    }
    if (payout.txid !== null)
      await perform(this.#db, 'payout_seen', { id, txid: null, height: null, hash: null, isDeep: false });
    if (heads.nonce > Number(payout.nonce)) return this.#lost(payout);
    const [newest] = payout.signed;
    if (newest !== undefined && !isExpired(newest.batch)) await this.#send(payout, newest);
  }

  /** A receipt of the present chain; a node may answer from a block that it has replaced since. */
  async #inChain(node: PayoutNode, txid: string): Promise<Receipt | null> {
    const receipt = await node.receipt(txid);
    return receipt !== null && (await node.hashAt(receipt.height)) === receipt.hash ? receipt : null;
  }

  async #mined(
    payout: Open,
    { head, final }: Heads,
    { txid, receipt, cancels }: { txid: string; receipt: Receipt; cancels: boolean },
  ): Promise<void> {
    const { height, hash } = receipt;
    const block = { id: payout.id, txid, height, hash };
    const isPaid = this.#isPaid(payout, receipt, cancels);
    const isDeep = isPaid && !cancels && head - height + 1 >= this.chain.confirmations;
    if (height > final) return void (await perform(this.#db, 'payout_seen', { ...block, isDeep }));
    if (this.#second !== null) {
      const other = await this.#inChain(this.#second, txid);
      if (other?.hash !== hash || this.#isPaid(payout, other, cancels) !== isPaid) {
        this.#log.warn({ payout: payout.id }, 'the second node does not confirm a payout');
        return;
      }
    }
    const state = await call<string>(this.#db, 'payout_finish', { ...block, isPaid });
    if (state === 'failed') this.#log.error({ payout: payout.id, txid }, 'a payout failed');
  }

  /** Some tokens answer that nothing was paid, and undo nothing: the transfer itself counts. */
  #isPaid({ address, recipient, contract, value }: Open, receipt: Receipt, cancels: boolean): boolean {
    const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
    return (
      receipt.isDone &&
      (cancels ||
        receipt.transfers.some(
          (one) =>
            same(one.contract, contract) &&
            same(one.from, address) &&
            same(one.to, recipient) &&
            one.value === BigInt(value),
        ))
    );
  }

  /** Another transaction has the nonce in a final block. Both nodes must say so. */
  async #lost({ id, address, nonce, signed }: Open): Promise<void> {
    const { confirmations, chain } = this.chain;
    const second = this.#second;
    if (second !== null) {
      const { rows } = await this.#db.query<{ final: number }>(
        'select final::float8 as final from chain_heads where chain = $1',
        [chain],
      );
      const height = Math.max(0, (rows[0]?.final ?? 0) - confirmations);
      if ((await second.nonceAt(address, height)) <= Number(nonce)) return;
      for (const { txid } of signed) if ((await second.receipt(txid)) !== null) return;
    }
    this.#log.error({ payout: id }, 'another transaction has used the nonce of a payout');
    const none = { txid: null, height: null, hash: null, isPaid: false };
    await perform(this.#db, 'payout_finish', { id, ...none });
  }

  /** The same bytes each time. */
  async #send(payout: Open, { txid, raw, batch }: Signed): Promise<void> {
    const fault = await signedFault(batch, payout.nonce, raw);
    if (fault !== null) throw new Error(`what is stored is not what was approved: ${fault}`);
    if (!(await this.#node.knows(txid))) {
      try {
        await this.#node.send(raw);
      } catch (error) {
        // The node may have it from elsewhere by now.
        if (!(await this.#node.knows(txid))) throw error;
      }
    }
    if (payout.state === 'sending') await perform(this.#db, 'payout_sent', { id: payout.id });
  }
}

const isExpired = (batch: PayoutBatch): boolean =>
  batch.kind === 'tron' && Number(batch.expiration) <= Date.now();

const boundedBy = (numbers: number, nonce: number): number => (Number.isFinite(nonce) ? nonce : numbers);
