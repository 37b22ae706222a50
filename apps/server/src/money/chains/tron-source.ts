import { tronAccountOf, tronAddressOf } from '@fairtick/protocol/base58check';
import * as z from 'zod';
import type { TronSettings } from '../../config/chains-file.ts';
import type { Block, ChainSource, Payment } from './chain-source.ts';
import { postToNode, readAnswer } from './node-request.ts';

/** The hash of `Transfer(address,address,uint256)`, the event of every token. */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BLOCKS_AT_ONCE = 5;

export const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const block = z.object({
  blockID: hex(64),
  // The first block leaves out its number.
  block_header: z.object({
    raw_data: z.object({ number: z.int().min(0).default(0), timestamp: z.int().min(0).default(0) }),
  }),
  transactions: z.array(z.object({ txID: hex(64) })).default([]),
});
const log = z.object({
  address: hex(40),
  topics: z.array(hex(64)).default([]),
  data: z.string().default(''),
});
export const result = z.object({
  id: hex(64),
  blockNumber: z.int(),
  receipt: z.object({ result: z.string().optional() }).default({}),
  log: z.array(log).default([]),
});
const results = z.array(result);

/** With its time in milliseconds, as its witness has set it. */
export interface TronBlock extends Block {
  readonly time: number;
}

/**
 * A full node of TRON, or a provider with the same paths. Only solid blocks are read, on which two thirds of the witnesses have built.
 * It reads transfers of tokens (TRC-20).
 */
export class TronSource implements ChainSource {
  readonly #chain: TronSettings;
  readonly #url: string;
  /** Addresses by the form in which logs name them. */
  readonly #accounts = new Map<string, string>();
  readonly #known = new Set<string>();

  constructor(chain: TronSettings, url = chain.rpc) {
    this.#chain = chain;
    this.#url = url.replace(/\/$/, '');
  }

  async demandChain(): Promise<void> {
    const first = await this.hashAt(0);
    const id = first === null ? null : Number.parseInt(first.slice(-8), 16);
    if (id !== this.#chain.chainId) throw new Error(`the node is of chain ${id}, not ${this.#chain.chainId}`);
  }

  async head(): Promise<TronBlock> {
    return timed(demand(await this.ask(block, 'getnowblock', {})));
  }

  /** Some blocks below the newest solid one, so that a second look comes later than the first. */
  async final(): Promise<Block | null> {
    const height = (await this.head()).height + 1 - this.#chain.finalAfter;
    const hash = height < 0 ? null : await this.hashAt(height);
    return hash === null ? null : { height, hash };
  }

  async hashAt(height: number): Promise<string | null> {
    return (await this.blockAt(height))?.hash ?? null;
  }

  /** Null: the node has no such block. */
  async blockAt(height: number): Promise<TronBlock | null> {
    const found = await this.ask(block, 'getblock', { id_or_num: String(height), detail: false });
    return found === null ? null : timed(demandHeight(found, height));
  }

  async payments(from: number, to: number, addresses: readonly string[]): Promise<Payment[]> {
    for (const address of addresses) this.#remember(address);
    const watched = new Set(addresses);
    const found: Payment[] = [];
    for (let start = from; start <= to; start += BLOCKS_AT_ONCE) {
      const heights = Array.from({ length: Math.min(BLOCKS_AT_ONCE, to + 1 - start) }, (_, at) => start + at);
      const some = await Promise.all(heights.map((height) => this.#transfers(height)));
      found.push(...some.flat().filter(({ address }) => watched.has(address)));
    }
    return found;
  }

  /** Nodes tell balances of the newest block alone. */
  async holding(): Promise<null> {
    return null;
  }

  #remember(address: string): void {
    if (this.#known.has(address)) return;
    this.#known.add(address);
    const account = tronAccountOf(address);
    if (account !== null) this.#accounts.set(account.padStart(64, '0'), address);
  }

  /** @throws Error where the node has not got the results of all the block's transactions */
  async #transfers(height: number): Promise<Payment[]> {
    const [found, told] = await Promise.all([
      this.ask(block, 'getblockbynum', { num: height }),
      this.ask(results, 'gettransactioninfobyblocknum', { num: height }),
    ]);
    const { blockID: hash, transactions } = demandHeight(demand(found), height);
    const done = demand(told);
    const ids = new Set(done.map(({ id }) => id));
    if (ids.size !== transactions.length || !transactions.every(({ txID }) => ids.has(txID)))
      throw new Error(`the node has not got all results of block ${height}`);
    return done.flatMap(({ id: txid, receipt, log: logs }) => {
      if (receipt.result !== 'SUCCESS') return [];
      const counts = new Map<string, number>();
      return logs.flatMap(({ address: token, topics, data }): Payment[] => {
        const [, from = '', to = ''] = topics;
        const address = this.#accounts.get(to);
        if (!isTransfer(topics, data) || address === undefined) return [];
        const position = counts.get(`${token} ${to}`) ?? 0;
        counts.set(`${token} ${to}`, position + 1);
        const value = BigInt(`0x${data}`);
        const sender = tronAddressOf(from.slice(-40));
        return [{ txid, contract: tronAddressOf(token), address, sender, position, value, height, hash }];
      });
    });
  }

  /** Null: the node has no such thing. */
  protected async ask<T extends z.ZodType>(
    form: T,
    method: string,
    body: unknown,
    side: 'walletsolidity' | 'wallet' = 'walletsolidity',
  ): Promise<z.infer<T> | null> {
    const { apiKey } = this.#chain;
    const headers = apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey };
    const { status, text } = await postToNode(`${this.#url}/${side}/${method}`, body, { headers });
    if (status !== 200) throw new Error(`the node answers ${method} with ${status}`);
    const answer: unknown = JSON.parse(text);
    const { data: fault } = failed.safeParse(answer);
    if (fault) throw new Error(`the node answers ${method}: ${fault.Error.slice(0, 200)}`);
    return text.trim() === '{}' ? null : readAnswer(form, answer, method);
  }
}

const failed = z.object({ Error: z.string() });

const timed = ({ blockID: hash, block_header: { raw_data } }: z.infer<typeof block>): TronBlock => ({
  height: raw_data.number,
  hash,
  time: raw_data.timestamp,
});

/** Whether a log is a token's transfer, whose topics are the event, the sender and the recipient. */
export const isTransfer = (topics: readonly string[], data: string): boolean =>
  topics.length === 3 && topics[0] === TRANSFER && /^[0-9a-f]{64}$/.test(data);

export function demand<T>(found: T | null): T {
  if (found === null) throw new Error('the node has not got a block');
  return found;
}

/** A block's hash begins with its number. */
function demandHeight(found: z.infer<typeof block>, height: number): z.infer<typeof block> {
  const named = found.block_header.raw_data.number;
  if (named !== height || Number.parseInt(found.blockID.slice(0, 16), 16) !== height)
    throw new Error(`the node answers with block ${named} for ${height}`);
  return found;
}
