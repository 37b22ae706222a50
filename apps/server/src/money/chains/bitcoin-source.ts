import * as z from 'zod';
import { type BitcoinSettings, OWN_COIN, withVersion, XPUB_VERSION } from '../../config/chains-file.ts';
import type { Block, ChainSource, Payment } from './chain-source.ts';
import { postToNode, readAnswer } from './node-request.ts';

/** Hashes of the first blocks: forks of the program name their chains as Bitcoin does. */
const GENESIS = {
  main: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  regtest: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
} as const;
/** Bitcoin Core's codes of errors (src/rpc/protocol.h). */
const OUT_OF_RANGE = -8;
const NO_WALLET = -18;
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
const walletInfo = z.object({
  private_keys_enabled: z.boolean(),
  scanning: z.union([z.literal(false), z.looseObject({})]),
});
const descriptors = z.object({
  descriptors: z.array(z.object({ desc: z.string(), range: z.tuple([z.int(), z.int()]).optional() })),
});
const described = z.object({ descriptor: z.string() });
const imported = z.tuple([
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
  readonly #url: string;
  /** The descriptor's highest number in the wallet. */
  #covered = -1;

  constructor(chain: BitcoinSettings, url = chain.rpc) {
    this.#chain = chain;
    this.#url = url.replace(/\/$/, '');
  }

  async demandChain(): Promise<void> {
    const first = await this.hashAt(0);
    if (first !== GENESIS[this.#chain.net])
      throw new Error(`the node is not of Bitcoin’s ${this.#chain.net}`);
  }

  async head(): Promise<Block> {
    const { blocks, bestblockhash } = await this.#ask(head, 'getblockchaininfo');
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
      return await this.#ask(hash, 'getblockhash', [at]);
    } catch (error) {
      if (error instanceof CoreError && error.code === OUT_OF_RANGE) return null;
      throw error;
    }
  }

  async watch(number: number, at: number): Promise<void> {
    const { scanning } = await this.#openWallet();
    if (scanning !== false) throw new Error('the node’s wallet has not read all blocks yet');
    if (number + AHEAD / 2 <= this.#covered) return;
    const { net, xpub } = this.#chain;
    const plain = `wpkh(${net === 'main' ? xpub : withVersion(xpub, XPUB_VERSION, TPUB_VERSION)}/*)`;
    const listed = await this.#ofWallet(descriptors, 'listdescriptors');
    this.#covered = listed.descriptors.find(({ desc }) => desc.startsWith(plain))?.range?.[1] ?? -1;
    if (number + AHEAD / 2 > this.#covered) await this.#import(plain, { last: number + AHEAD, at });
  }

  /** Tells the wallet the addresses up to a number; it reads the blocks above a height for them. */
  async #import(plain: string, { last, at }: { last: number; at: number }): Promise<void> {
    const { descriptor: desc } = await this.#ask(described, 'getdescriptorinfo', [plain]);
    const { mediantime: timestamp } = await this.#ask(header, 'getblockheader', [await this.hashAt(at)]);
    const requests = [{ desc, range: [0, last], timestamp }];
    const [{ success, error }] = await this.#ofWallet(imported, 'importdescriptors', [requests], IMPORT_MS);
    if (!success) throw new Error(`the node’s wallet takes no addresses: ${error?.message ?? ''}`);
    this.#covered = last;
  }

  async payments(from: number, to: number, addresses: readonly string[]): Promise<Payment[]> {
    const before = await this.hashAt(from - 1);
    if (before === null) throw new Error('the node has lost a block');
    const { transactions } = await this.#ofWallet(since, 'listsinceblock', [before, 1, true, false]);
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

  /** Makes the wallet at a node that has none. */
  async #openWallet(): Promise<z.infer<typeof walletInfo>> {
    const read = () => this.#ofWallet(walletInfo, 'getwalletinfo');
    const info = await read().catch(async (error: unknown) => {
      if (!isNoWallet(error)) throw error;
      this.#covered = -1;
      await this.#ask(z.unknown(), 'loadwallet', [this.#wallet, true]).catch(async (missing: unknown) => {
        if (!isNoWallet(missing)) throw missing;
        // Without private keys, empty, no password, addresses may be used again, by descriptors, loaded at each start.
        await this.#ask(z.unknown(), 'createwallet', [this.#wallet, true, true, null, false, true, true]);
      });
      return read();
    });
    if (info.private_keys_enabled) throw new Error(`the node’s wallet ${this.#wallet} has private keys`);
    return info;
  }

  get #wallet(): string {
    return `fairtick-${this.#chain.chain}`;
  }

  #ofWallet<T extends z.ZodType>(
    form: T,
    method: string,
    params: readonly unknown[] = [],
    timeoutMs?: number,
  ): Promise<z.infer<T>> {
    const path = `/wallet/${this.#wallet}`;
    return this.#ask(form, method, params, { path, ...(timeoutMs && { timeoutMs }) });
  }

  async #ask<T extends z.ZodType>(
    form: T,
    method: string,
    params: readonly unknown[] = [],
    { path = '', ...options }: { path?: string; timeoutMs?: number } = {},
  ): Promise<z.infer<T>> {
    const body = { jsonrpc: '1.0', id: 'fairtick', method, params };
    const { status, text } = await postToNode(`${this.#url}${path}`, body, options);
    // Errors of calls come with status 500 and JSON; others, such as a wrong password, have none.
    const answer = answered.safeParse(parseAmounts(text));
    if (!answer.success) throw new Error(`the node answers ${method} with ${status}`);
    const { error, result } = answer.data;
    if (error) throw new CoreError(error.code, `${method}: ${error.message}`);
    return readAnswer(form, result, method);
  }
}

const answered = z.object({
  result: z.unknown(),
  error: z.object({ code: z.int(), message: z.string() }).nullish(),
});

class CoreError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const isNoWallet = (error: unknown): boolean => error instanceof CoreError && error.code === NO_WALLET;

type Revive = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseJson = JSON.parse as (text: string, revive: Revive) => unknown;

/** JSON with each `amount` as the text that it has there: as a number it would be a float. Null: it is no JSON. */
function parseAmounts(text: string): unknown {
  try {
    return parseJson(text, (key, value, { source }) =>
      key === 'amount' && typeof value === 'number' ? source : value,
    );
  } catch {
    return null;
  }
}

/** @throws Error unless it is an amount above zero, as Bitcoin Core writes it */
export function satoshis(text: string): bigint {
  const [, whole, part = ''] = /^(\d{1,8})(?:\.(\d{1,8}))?$/.exec(text) ?? [];
  if (whole === undefined) throw new Error(`the node tells an amount of ${text.slice(0, 40)}`);
  return BigInt(whole) * 100_000_000n + BigInt(part.padEnd(8, '0'));
}
