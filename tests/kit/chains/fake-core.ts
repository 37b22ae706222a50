import { HDKey } from '@scure/bip32';
import type { BitcoinSettings } from '../../../apps/server/src/config/chains-file.ts';
import { deriveAddress } from '../../../apps/server/src/money/chains/chain-addresses.ts';
import { type CoreCalls, type CoreCoins, decimal, hashOf } from './core-coins.ts';
import type { FakeBlock, FakeChain } from './fake-chain.ts';
import { type FalseAnswer, type FalseNode, servedNode } from './false-node.ts';

const SEED = new Uint8Array(32).fill(7);
const PATH = "m/84'/0'/0'/0";
export const BITCOIN_XPUB = HDKey.fromMasterSeed(SEED).derive(PATH).publicExtendedKey;
/** The same key as wallets of SegWit write it (SLIP-132). */
export const ZPUB = HDKey.fromMasterSeed(SEED, { private: 0x04b2430c, public: 0x04b24746 }).derive(
  PATH,
).publicExtendedKey;
const CHECKSUM = '#checksum';

/** Settings of this chain, as CHAINS_FILE has them. */
export const coreSettings = (
  { url }: { readonly url: string },
  changes: Partial<BitcoinSettings> = {},
): BitcoinSettings => ({
  chain: 'bitcoin',
  kind: 'bitcoin',
  net: 'main',
  network: 'Bitcoin',
  rpc: url,
  xpub: BITCOIN_XPUB,
  confirmations: 2,
  finalAfter: 6,
  tokens: [{ asset: 'BTC', contract: '', decimals: 8 }],
  pollMs: 200,
  mostBlocks: 1_000,
  ...changes,
});

/**
 * The calls of Bitcoin Core that the watcher makes, over blocks in memory: no real node is at hand. Its wallet tells only payments to
 * addresses that it was given.
 */
export function fakeCore(
  chain: () => FakeChain,
  coins: CoreCoins | null = null,
): FalseNode & { loseWallet(): void } {
  let wallet: { name: string; isLoaded: boolean; end: number } | null = null;
  const result = (value: unknown): FalseAnswer => ({ result: value });
  const fault = (code: number, message: string): FalseAnswer => ({ error: { code, message } });
  const known = new Map<string, number>();
  /** Numbers of addresses are small, so that few are derived. */
  const isOwn = (address: string): boolean => {
    for (let number = known.size; number <= 30 && !known.has(address); number += 1)
      known.set(deriveAddress({ kind: 'bitcoin', net: 'main', xpub: BITCOIN_XPUB }, number), number);
    return (known.get(address) ?? Number.POSITIVE_INFINITY) <= (wallet?.end ?? -1);
  };
  const ofCoins: CoreCalls = coins?.calls ?? {};
  const calls: CoreCalls = {
    ...ofCoins,
    getblockchaininfo: () => {
      const blocks = chain().blocks();
      const at = blocks.length - 1;
      return result({ chain: 'main', blocks: at, bestblockhash: hashOf(blocks[at] as FakeBlock, at) });
    },
    getblockhash: ([height]) => {
      const block = chain().blocks()[height];
      return block ? result(hashOf(block, height)) : fault(-8, 'Block height out of range');
    },
    getblockheader: ([hash]) => {
      const height = chain()
        .blocks()
        .findIndex((block, at) => hashOf(block, at) === hash);
      return height < 0 ? fault(-5, 'Block not found') : result({ hash, height, mediantime: 1_795_000_000 });
    },
    getwalletinfo: () =>
      wallet?.isLoaded
        ? result({ walletname: wallet.name, private_keys_enabled: false, scanning: false })
        : fault(-18, 'Requested wallet does not exist or is not loaded'),
    loadwallet: ([name]) => {
      if (wallet?.name !== name) return fault(-18, 'Path does not exist');
      wallet = { name, end: wallet?.end ?? -1, isLoaded: true };
      return result({ name });
    },
    createwallet: ([name, hasNoKeys, isBlank]) => {
      if (!hasNoKeys || !isBlank) return fault(-4, 'a wallet with keys');
      wallet = { name, end: -1, isLoaded: true };
      return result({ name });
    },
    getdescriptorinfo: ([desc]) => result({ descriptor: `${desc}${CHECKSUM}` }),
    listdescriptors: () =>
      result({
        descriptors: [
          ...(wallet && wallet.end >= 0
            ? [{ desc: `wpkh(${BITCOIN_XPUB}/*)${CHECKSUM}`, range: [0, wallet.end] }]
            : []),
          ...(coins?.isWatched ? [{ desc: `addr(${coins.address})${CHECKSUM}` }] : []),
        ],
      }),
    importdescriptors: ([[{ desc, range, timestamp }]]) => {
      if (coins && desc === `addr(${coins.address})${CHECKSUM}` && timestamp === 'now') {
        coins.isWatched = true;
        return result([{ success: true }]);
      }
      if (desc !== `wpkh(${BITCOIN_XPUB}/*)${CHECKSUM}` || !Number.isInteger(timestamp) || !wallet)
        return result([{ success: false, error: { code: -5, message: 'Missing checksum' } }]);
      wallet.end = range[1];
      return result([{ success: true }]);
    },
    listsinceblock: ([hash]) => {
      if (!wallet?.isLoaded) return fault(-18, 'Requested wallet does not exist or is not loaded');
      const blocks = chain().blocks();
      const since = blocks.findIndex((block, at) => hashOf(block, at) === hash);
      if (since < 0) return fault(-5, 'Block not found');
      const transactions = blocks.slice(since + 1).flatMap((block, at) =>
        block.sent
          .filter(({ address }) => isOwn(address))
          .map(({ txid, address, value }) => ({
            address,
            category: 'receive',
            amount: decimal(value),
            vout: 1,
            confirmations: blocks.length - (since + 1 + at),
            blockhash: hashOf(block, since + 1 + at),
            blockheight: since + 1 + at,
            txid: txid.slice(2),
          })),
      );
      transactions.push(...((coins?.spends(since) ?? []) as typeof transactions));
      return result({ transactions, removed: [], lastblock: hash });
    },
  };
  const node = servedNode((_path, body) => {
    const { id, method, params } = JSON.parse(body);
    return {
      method,
      params,
      faultStatus: 500,
      truth: async () => calls[method]?.(params) ?? fault(-32_601, 'Method not found'),
      // Amounts are numbers with eight decimals, as Core prints them.
      write: (answer) =>
        JSON.stringify({ result: null, error: null, id, ...answer }).replaceAll(
          /"amount":"(-?\d+\.\d{8})"/g,
          '"amount":$1',
        ),
    };
  });
  return {
    get url() {
      return node.url;
    },
    behave: (lie) => node.behave(lie),
    loseWallet: () => {
      wallet = null;
    },
  };
}
