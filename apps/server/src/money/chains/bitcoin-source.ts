import * as z from 'zod';
import { type BitcoinSettings, OWN_COIN, withVersion, XPUB_VERSION } from '../../config/chains-file.ts';
import type { Block, ChainSource, Payment } from './chain-source.ts';
import { CoreClient, isCoreError } from './core-client.ts';

/** Hashes of the first blocks: forks of the program name their chains as Bitcoin does. */
const GENESIS = {
  main: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  regtest: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
} as const;
/** Bitcoin Core's codes of errors (src/rpc/protocol.h). */
const OUT_OF_RANGE = -8;
/** The version of extended public keys on test networks. */
const TPUB_VERSION = 0x043587cf;
/** The wallet knows as many addresses beyond the assigned ones, at least half of them at any time. */
const AHEAD = 1_000;
/** The wallet reads the blocks again that its new addresses may be in. */
const IMPORT_MS = 600_000;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const height = z.int().min(0);
const head = z.object({ blocks: height, bestblockhash: hash });
const header = z.object({ hash, height, mediantime: z.int() });
export const descriptors = z.object({
  descriptors: z.array(z.object({ desc: z.string(), range: z.tuple([z.int(), z.int()]).optional() })),
});
export const described = z.object({ descriptor: z.string() });
export const imported = z.tuple([
  z.object({ success: z.boolean(), error: z.object({ message: z.string() }).optional() }),
]);
const entry = z.object({
  txid: hash,
  vout: z.int().min(0),
  category: z.string(),
  address: z.string().optional(),
  amount: z.string(),
  confirmations: z.int(),
  blockhash: hash.optional(),
  blockheight: height.optional(),
});
const since = z.object({ transactions: z.array(entry) });

/**
 * Bitcoin Core with a wallet of its own for this chain, which has addresses and no key. Coins that a miner's transaction pays directly
 * are not read.
 */
export class BitcoinSource implements ChainSource {
  readonly #chain: BitcoinSettings;
  protected readonly core: CoreClient;
  /** The descriptor's highest number in the wallet. */
  #covered = -1;

  constructor(chain: BitcoinSettings, url = chain.rpc) {
    this.#chain = chain;
    this.core = new CoreClient(url, `fairtick-${chain.chain}`);
  }

  async demandChain(): Promise<void> {
    const first = await this.hashAt(0);
    if (first !== GENESIS[this.#chain.net])
      throw new Error(`the node is not of Bitcoin’s ${this.#chain.net}`);
  }

  async head(): Promise<Block> {
    const { blocks, bestblockhash } = await this.core.ask(head, 'getblockchaininfo');
    return { height: blocks, hash: bestblockhash };
  }

  async final(): Promise<Block | null> {
    const { height: newest } = await this.head();
    const final = newest + 1 - this.#chain.finalAfter;
    const found = final < 0 ? null : await this.hashAt(final);
    return found === null ? null : { height: final, hash: found };
  }

  async hashAt(at: number): Promise<string | null> {
    try {
      return await this.core.ask(hash, 'getblockhash', [at]);
    } catch (error) {
      if (isCoreError(error, OUT_OF_RANGE)) return null;
      throw error;
    }
  }

  async watch(number: number, at: number): Promise<void> {
    const { scanning } = await this.core.openWallet(() => {
      this.#covered = -1;
    });
    if (scanning !== false) throw new Error('the node’s wallet has not read all blocks yet');
    if (number + AHEAD / 2 <= this.#covered) return;
    const { net, xpub } = this.#chain;
    const plain = `wpkh(${net === 'main' ? xpub : withVersion(xpub, XPUB_VERSION, TPUB_VERSION)}/*)`;
    const listed = await this.core.ofWallet(descriptors, 'listdescriptors');
    this.#covered = listed.descriptors.find(({ desc }) => desc.startsWith(plain))?.range?.[1] ?? -1;
    if (number + AHEAD / 2 > this.#covered) await this.#import(plain, { last: number + AHEAD, at });
  }

  /** Tells the wallet the addresses up to a number; it reads the blocks above a height for them. */
  async #import(plain: string, { last, at }: { last: number; at: number }): Promise<void> {
    const { descriptor: desc } = await this.core.ask(described, 'getdescriptorinfo', [plain]);
    const { mediantime: timestamp } = await this.core.ask(header, 'getblockheader', [await this.hashAt(at)]);
    const requests = [{ desc, range: [0, last], timestamp }];
    const [{ success, error }] = await this.core.ofWallet(
      imported,
      'importdescriptors',
      [requests],
      IMPORT_MS,
    );
    if (!success) throw new Error(`the node’s wallet takes no addresses: ${error?.message ?? ''}`);
    this.#covered = last;
  }

  async payments(from: number, to: number, addresses: readonly string[]): Promise<Payment[]> {
    const before = await this.hashAt(from - 1);
    if (before === null) throw new Error('the node has lost a block');
    const { transactions } = await this.core.ofWallet(since, 'listsinceblock', [before, 1, true, false]);
    const watched = new Set(addresses);
    return transactions.flatMap(
      ({ txid, vout, category, address, amount, blockhash, blockheight }): Payment[] => {
        if (category !== 'receive' || address === undefined || !watched.has(address)) return [];
        if (blockhash === undefined || blockheight === undefined || blockheight < from || blockheight > to)
          return [];
        const at = { height: blockheight, hash: blockhash };
        return [{ txid, contract: OWN_COIN, address, position: vout, value: satoshis(amount), ...at }];
      },
    );
  }

  /** The coin keeps no fee of what arrives. */
  async holding(): Promise<null> {
    return null;
  }
}

/** @throws Error unless it is an amount above zero, as Bitcoin Core writes it */
export function satoshis(text: string): bigint {
  const [, whole, part = ''] = /^(\d{1,8})(?:\.(\d{1,8}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new Error(`the node tells an amount of ${text.slice(0, 40)}`);
  return BigInt(whole) * 100_000_000n + BigInt(part.padEnd(8, '0'));
}
