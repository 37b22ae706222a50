import { bitcoinNetwork } from '@fairtick/protocol/payout-file';
import { hex } from '@scure/base';
import { Address, OutScript, Transaction } from '@scure/btc-signer';
import * as z from 'zod';
import type { PayingBitcoin } from '../../config/chains-file.ts';
import { BitcoinSource, described, descriptors, imported, satoshis } from './bitcoin-source.ts';
import type { PayoutNode, Receipt } from './chain-source.ts';
import { isCoreError } from './core-client.ts';

/** Bitcoin Core's codes of errors (src/rpc/protocol.h). */
const UNKNOWN = -5;
const IN_CHAIN = -27;
/** Of the paying address in another transaction: the next output has a number that no batch has. */
const SPENT = Number.POSITIVE_INFINITY;
/** Confirmations are below it. */
const ANY = 9_999_999;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const place = z.int().min(0);
const unspent = z.array(z.object({ txid: hash, vout: place, amount: z.string(), scriptPubKey: z.string() }));
const known = z.object({
  hex: z.string(),
  confirmations: z.int(),
  blockhash: hash.optional(),
  blockheight: place.optional(),
});
const since = z.object({ transactions: z.array(z.object({ txid: hash, category: z.string() })) });

export interface Coin {
  readonly txid: string;
  readonly place: string;
  readonly value: string;
}

/** Bitcoin Core as the node that payouts are sent to. Its wallet knows the paying address, and no key of it. */
export class BitcoinPayoutNode extends BitcoinSource implements PayoutNode {
  readonly #chain: PayingBitcoin;
  readonly #script: string;
  #isWatched = false;

  constructor(chain: PayingBitcoin, url = chain.rpc) {
    super(chain, url);
    this.#chain = chain;
    const owner = Address(bitcoinNetwork(chain.net)).decode(chain.payouts.address);
    this.#script = hex.encode(OutScript.encode(owner));
  }

  /** The unspent outputs of the paying address that have the chain's confirmations. */
  async coins(): Promise<Coin[]> {
    await this.#watchAddress();
    const { payouts, confirmations } = this.#chain;
    const found = await this.core.ofWallet(unspent, 'listunspent', [confirmations, ANY, [payouts.address]]);
    return found
      .filter(({ scriptPubKey }) => scriptPubKey === this.#script)
      .map(({ txid, vout, amount }) => ({ txid, place: String(vout), value: satoshis(amount).toString() }));
  }

  /** Of an input: without limit once a transaction in these blocks has spent it. The paying address itself has no number. */
  async nonceAt(address: string, height: number): Promise<number> {
    await this.#watchAddress();
    const [txid = '', vout] = address.split(':');
    if (vout === undefined) return 0;
    if ((await this.core.ask(z.unknown(), 'gettxout', [txid, Number(vout), false])) !== null) return 0;
    const own = await this.#transaction(txid);
    if (own?.blockhash === undefined) return 0;
    const { transactions } = await this.core.ofWallet(since, 'listsinceblock', [
      own.blockhash,
      1,
      true,
      false,
    ]);
    const sent = new Set(transactions.flatMap((one) => (one.category === 'send' ? [one.txid] : [])));
    for (const one of sent) {
      const found = await this.#transaction(one);
      if (found?.blockheight === undefined || found.confirmations < 1 || found.blockheight > height) continue;
      if (inputsOf(Transaction.fromRaw(hex.decode(found.hex))).includes(address)) return SPENT;
    }
    return 0;
  }

  async receipt(txid: string): Promise<Receipt | null> {
    await this.#watchAddress();
    const [id = '', vout] = txid.split(':');
    const found = await this.#transaction(id);
    if (found === null || found.confirmations < 1) return null;
    const { blockheight: height, blockhash } = found;
    if (height === undefined || blockhash === undefined) return null;
    const transaction = Transaction.fromRaw(hex.decode(found.hex), { allowUnknownOutputs: true });
    const { amount, script } = transaction.getOutput(Number(vout));
    const to = script && Address(bitcoinNetwork(this.#chain.net)).encode(OutScript.decode(script));
    const [from = ''] = inputsOf(transaction);
    const transfers = to === undefined ? [] : [{ contract: '', from, to, value: amount ?? 0n }];
    return { height, hash: blockhash, isDone: true, transfers };
  }

  async knows(txid: string): Promise<boolean> {
    const [id] = txid.split(':');
    if ((await this.receipt(txid)) !== null) return true;
    const waiting = await this.#orNull(this.core.ask(z.looseObject({}), 'getmempoolentry', [id]));
    return waiting !== null;
  }

  async send(raw: string): Promise<void> {
    try {
      await this.core.ask(hash, 'sendrawtransaction', [raw]);
    } catch (error) {
      if (!isCoreError(error, IN_CHAIN)) throw error;
    }
  }

  #transaction(txid: string): Promise<z.infer<typeof known> | null> {
    return this.#orNull(this.core.ofWallet(known, 'gettransaction', [txid, true]));
  }

  async #orNull<T>(asked: Promise<T>): Promise<T | null> {
    return asked.catch((error: unknown) => {
      if (isCoreError(error, UNKNOWN)) return null;
      throw error;
    });
  }

  /** Tells the wallet the paying address, from the present block on. */
  async #watchAddress(): Promise<void> {
    if (this.#isWatched) return;
    await this.core.openWallet();
    const plain = `addr(${this.#chain.payouts.address})`;
    const listed = await this.core.ofWallet(descriptors, 'listdescriptors');
    if (!listed.descriptors.some(({ desc }) => desc.startsWith(plain))) {
      const { descriptor: desc } = await this.core.ask(described, 'getdescriptorinfo', [plain]);
      const [{ success, error }] = await this.core.ofWallet(imported, 'importdescriptors', [
        [{ desc, timestamp: 'now' }],
      ]);
      if (!success) throw new Error(`the node’s wallet takes no address: ${error?.message ?? ''}`);
    }
    this.#isWatched = true;
  }
}

const inputsOf = (transaction: Transaction): string[] =>
  Array.from({ length: transaction.inputsLength }, (_, at) => {
    const { txid, index } = transaction.getInput(at);
    return `${txid && hex.encode(txid)}:${index}`;
  });
