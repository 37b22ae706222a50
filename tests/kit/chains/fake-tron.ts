import { tronAccountOf } from '@fairtick/protocol/base58check';
import type { TronSettings } from '../../../apps/server/src/config/chains-file.ts';
import type { FakeChain, Sent } from './fake-chain.ts';
import { type FalseAnswer, type FalseNode, servedNode } from './false-node.ts';
import { XPUB } from './keys.ts';
import type { TronPayments } from './tron-payments.ts';

export const TRON_USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const CHAIN_ID = 0x2b6653dc;
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Settings of this chain, as CHAINS_FILE has them. */
export const tronSettings = (
  { url }: { readonly url: string },
  changes: Partial<TronSettings> = {},
): TronSettings => ({
  chain: 'tron',
  kind: 'tron',
  chainId: CHAIN_ID,
  network: 'TRC20',
  rpc: url,
  xpub: XPUB,
  confirmations: 2,
  finalAfter: 4,
  tokens: [{ asset: 'USDT', contract: TRON_USDT, decimals: 6 }],
  pollMs: 200,
  mostBlocks: 50,
  ...changes,
});

/**
 * The calls of a node of TRON that the watcher makes, over solid blocks in memory, and with `payments` those of payouts: no real node
 * is at hand.
 */
export function fakeTron(chain: () => FakeChain, payments?: TronPayments): FalseNode {
  const id = (height: number): string =>
    `${height.toString(16).padStart(16, '0')}${(height === 0 ? CHAIN_ID.toString(16) : (chain().blocks()[height]?.hash ?? '')).slice(-48).padStart(48, '0')}`;
  const block = (height: number, isWhole: boolean) => {
    const found = chain().blocks()[height];
    if (!found) return {};
    const transactions: object[] = [
      ...found.sent.map(({ txid }) => ({ txID: txid.slice(2), raw_data: { contract: [] } })),
      ...(payments?.transactionsAt(height) ?? []),
    ];
    const time = payments ? { timestamp: payments.timeAt(height) } : {};
    return {
      blockID: id(height),
      block_header: { raw_data: height === 0 ? {} : { number: height, ...time } },
      ...(isWhole && transactions.length > 0 && { transactions }),
    };
  };
  const results = (height: number) => [
    ...(chain().blocks()[height]?.sent ?? []).map((sent) => ({
      id: sent.txid.slice(2),
      blockNumber: height,
      receipt: { result: 'SUCCESS' },
      log: [logOf(sent)],
    })),
    ...(payments?.resultsAt(height) ?? []),
  ];
  const calls: Record<string, (body: any) => unknown> = {
    getnowblock: () => block(chain().blocks().length - 1, true),
    getblock: ({ id_or_num }) => block(Number(id_or_num), false),
    getblockbynum: ({ num }) => block(num, true),
    gettransactioninfobyblocknum: ({ num }) => results(num),
    gettransactioninfobyid: ({ value }) => payments?.resultOf(value),
    gettransactionbyid: ({ value }) => payments?.find(value),
    broadcasthex: ({ transaction }) => payments?.take(transaction, id),
  };
  return servedNode((path, body) => {
    const method = path.replace(/^\/wallet(solidity)?\//, '');
    const params = JSON.parse(body);
    return {
      method,
      params: [params],
      truth: async (): Promise<FalseAnswer> => ({ result: await calls[method]?.(params) }),
      write: ({ result, error }) => JSON.stringify(error ? { Error: error.message } : result),
    };
  });
}

const logOf = ({ contract, address, value }: Sent) => ({
  address: tronAccountOf(contract) ?? contract.slice(2),
  topics: [TRANSFER, '0'.repeat(64), (tronAccountOf(address) ?? '').padStart(64, '0')],
  data: value.toString(16).padStart(64, '0'),
});
