import type { Block, ChainSource, Payment } from '../../../apps/server/src/money/chains/chain-source.ts';

export const FAKE_TOKEN = `0x${'ab'.repeat(20)}`;
/** Blocks below the newest that are not final. */
const NOT_FINAL = 2;

export type Sent = Pick<Payment, 'txid' | 'contract' | 'address' | 'value'>;

export interface FakeBlock {
  readonly hash: string;
  readonly sent: readonly Sent[];
}

let sentByAll = 0;

const hashOf = (made: number): string => `0x${made.toString(16).padStart(64, '0')}`;

/** A chain in memory, whose blocks a test makes and replaces. */
export class FakeChain implements ChainSource {
  #blocks: FakeBlock[] = [{ hash: hashOf(0), sent: [] }];
  readonly #all = new Map<string, Sent>();
  #waiting: string[] = [];
  #made = 0;

  async pay(address: string, value: bigint, contract = FAKE_TOKEN): Promise<string> {
    sentByAll += 1;
    const txid = `0x${sentByAll.toString(16).padStart(64, 'abcdef09')}`;
    this.#all.set(txid, { txid, contract, address, value });
    this.#waiting.push(txid);
    return txid;
  }

  async resend(txid: string): Promise<void> {
    if (!(await this.has(txid)) && !this.#waiting.includes(txid)) this.#waiting.push(txid);
  }

  async mine(blocks = 1): Promise<void> {
    for (let block = 0; block < blocks; block += 1) {
      this.#made += 1;
      const sent = this.#waiting.map((txid) => this.#all.get(txid) as Sent);
      this.#blocks.push({ hash: hashOf(this.#made), sent });
      this.#waiting = [];
    }
  }

  /** Replaces the newest blocks by empty ones. */
  async reorg(depth: number): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#blocks = this.#blocks.slice(0, -depth);
    await this.mine(depth);
    this.#waiting = waiting;
  }

  async has(txid: string): Promise<boolean> {
    return this.#blocks.some(({ sent }) => sent.some((one) => one.txid === txid));
  }

  /** From the first to the newest. */
  blocks(): readonly FakeBlock[] {
    return this.#blocks;
  }

  async demandChain(): Promise<void> {}

  async head(): Promise<Block> {
    return this.#at(this.#blocks.length - 1);
  }

  async final(): Promise<Block> {
    return this.#at(Math.max(0, this.#blocks.length - 1 - NOT_FINAL));
  }

  async hashAt(height: number): Promise<string | null> {
    return this.#blocks[height]?.hash ?? null;
  }

  async payments(from: number, to: number, addresses: readonly string[]): Promise<Payment[]> {
    return this.#blocks
      .slice(from, to + 1)
      .flatMap(({ hash, sent }, at) =>
        sent
          .filter(({ address }) => addresses.includes(address))
          .map((one) => ({ ...one, position: 0, height: from + at, hash })),
      );
  }

  /** Nothing leaves an address of this chain. */
  async holding(contract: string, address: string, height: number): Promise<bigint> {
    const sent = this.#blocks.slice(0, height + 1).flatMap((block) => block.sent);
    return sent.reduce(
      (sum, one) => sum + (one.contract === contract && one.address === address ? one.value : 0n),
      0n,
    );
  }

  #at(height: number): Block {
    return { height, hash: this.#blocks[height]?.hash ?? '' };
  }
}
