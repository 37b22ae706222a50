import { randomBytes } from 'node:crypto';
import { hex } from '@scure/base';
import { Address, OutScript, Transaction } from '@scure/btc-signer';
import type { FakeBlock, FakeChain } from './fake-chain.ts';
import type { FalseAnswer } from './false-node.ts';

const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
const UNKNOWN = { error: { code: -5, message: 'Invalid or non-wallet transaction id' } };
const REFUSED = { error: { code: -26, message: 'refused' } };

export type CoreCalls = Record<string, (params: any[]) => FalseAnswer>;
export const hashOf = (block: FakeBlock, height: number): string =>
  height === 0 ? GENESIS : block.hash.slice(2);
export const decimal = (value: bigint): string =>
  `${value / 100_000_000n}.${(value % 100_000_000n).toString().padStart(8, '0')}`;

interface Known {
  readonly raw: string;
  readonly transaction: Transaction;
  /** The block that has it, if the chain still has that block. */
  block: string | null;
}

/**
 * What a fake of Bitcoin Core knows of one address: its coins, and the transactions that spend them. It checks that inputs are unspent
 * and that a replacement pays more, and no signature.
 */
export class CoreCoins {
  readonly address: string;
  isWatched = false;
  readonly #chain: () => FakeChain;
  readonly #script: string;
  readonly #known = new Map<string, Known>();
  /** Waiting transactions. */
  #pool = new Set<string>();

  constructor(chain: () => FakeChain, address: string) {
    this.#chain = chain;
    this.address = address;
    this.#script = hex.encode(OutScript.encode(Address().decode(address)));
  }

  /** A payment to the address from elsewhere, in the next block. */
  fund(value: bigint): void {
    const transaction = new Transaction();
    transaction.addInput({ txid: randomBytes(32), index: 0 });
    transaction.addOutputAddress(this.address, value);
    this.#take(hex.encode(transaction.unsignedTx));
  }

  /** The next block has all that waits. */
  async mine(blocks = 1): Promise<void> {
    await this.#chain().mine();
    const at = this.#chain().blocks().length - 1;
    for (const txid of this.#pool)
      (this.#known.get(txid) as Known).block = hashOf(this.#chain().blocks()[at] as FakeBlock, at);
    this.#pool = new Set();
    if (blocks > 1) await this.mine(blocks - 1);
  }

  /** What an address has in the chain. */
  balanceOf(address: string): bigint {
    const script = hex.encode(OutScript.encode(Address().decode(address)));
    return this.#outputs(this.#spentBy(this.#mined()))
      .filter((one) => one.script === script)
      .reduce((sum, { value }) => sum + value, 0n);
  }

  readonly calls: CoreCalls = {
    listunspent: ([least]) => ({
      result: this.#outputs(this.#spentBy([...this.#known.values()]))
        .filter(({ script, confirmations }) => script === this.#script && confirmations >= least)
        .map(({ txid, vout, value, script }) => ({
          txid,
          vout,
          amount: decimal(value),
          scriptPubKey: script,
        })),
    }),
    gettxout: ([txid, vout]) => ({
      result: this.#outputs(this.#spentBy(this.#mined())).find(
        (one) => one.txid === txid && one.vout === vout,
      )
        ? {}
        : null,
    }),
    gettransaction: ([txid]) => {
      const known = this.#known.get(txid);
      if (known === undefined) return UNKNOWN;
      const height = this.#heightOf(known);
      const block = height < 0 ? {} : { blockhash: known.block, blockheight: height };
      return { result: { hex: known.raw, confirmations: this.#confirmations(height), ...block } };
    },
    getmempoolentry: ([txid]) => (this.#pool.has(txid) ? { result: {} } : UNKNOWN),
    sendrawtransaction: ([raw]) => {
      const transaction = Transaction.fromRaw(hex.decode(raw));
      const known = this.#known.get(transaction.id);
      if (known && this.#heightOf(known) >= 0) return { error: { code: -27, message: 'already in chain' } };
      const inputs = inputsOf(transaction);
      const spent = this.#spentBy(this.#mined());
      if (inputs.some((one) => spent.has(one))) return REFUSED;
      for (const txid of this.#pool) {
        const other = this.#known.get(txid) as Known;
        if (!inputsOf(other.transaction).some((one) => inputs.includes(one))) continue;
        if (paid(other.transaction) <= paid(transaction)) return REFUSED;
        this.#pool.delete(txid);
      }
      this.#take(raw);
      return { result: transaction.id };
    },
  };

  /** Entries of the wallet's list: what has left the address in blocks above a height. */
  spends(above: number): object[] {
    return this.#mined()
      .filter((one) => this.#heightOf(one) > above && this.#isSpend(one.transaction))
      .map(({ transaction }) => ({
        category: 'send',
        txid: transaction.id,
        vout: 0,
        amount: '-0.00000001',
        confirmations: 1,
      }));
  }

  #isSpend(transaction: Transaction): boolean {
    return inputsOf(transaction).some((one) => this.#known.has(one.split(':')[0] as string));
  }

  #take(raw: string): void {
    const transaction = Transaction.fromRaw(hex.decode(raw));
    this.#known.set(transaction.id, { raw, transaction, block: null });
    this.#pool.add(transaction.id);
  }

  #heightOf({ block }: Known): number {
    return this.#chain()
      .blocks()
      .findIndex((one, at) => hashOf(one, at) === block);
  }

  #confirmations(height: number): number {
    return height < 0 ? 0 : this.#chain().blocks().length - height;
  }

  #mined(): Known[] {
    return [...this.#known.values()].filter((one) => this.#heightOf(one) >= 0);
  }

  #spentBy(all: readonly Known[]): Set<string> {
    const live = all.filter((one) => this.#heightOf(one) >= 0 || this.#pool.has(one.transaction.id));
    return new Set(live.flatMap(({ transaction }) => inputsOf(transaction)));
  }

  #outputs(spent: ReadonlySet<string>) {
    return this.#mined().flatMap((known) =>
      Array.from({ length: known.transaction.outputsLength }, (_, vout) => {
        const { amount, script } = known.transaction.getOutput(vout);
        return {
          txid: known.transaction.id,
          vout,
          value: amount as bigint,
          script: hex.encode(script as Uint8Array),
          confirmations: this.#confirmations(this.#heightOf(known)),
        };
      }).filter(({ txid, vout }) => !spent.has(`${txid}:${vout}`)),
    );
  }
}

const inputsOf = (transaction: Transaction): string[] =>
  Array.from({ length: transaction.inputsLength }, (_, at) => {
    const { txid, index } = transaction.getInput(at);
    return `${txid && hex.encode(txid)}:${index}`;
  });
/** All outputs: of two transactions with the same inputs, the one with less of it has the higher fee. */
const paid = (transaction: Transaction): bigint =>
  Array.from(
    { length: transaction.outputsLength },
    (_, at) => transaction.getOutput(at).amount as bigint,
  ).reduce((sum, one) => sum + one, 0n);
