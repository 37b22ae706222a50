import type { ChainSettings, PayingChain } from '../../config/chains-file.ts';
import { BitcoinPayoutNode } from './bitcoin-payout-node.ts';
import { BitcoinSource } from './bitcoin-source.ts';
import type { ChainSource, PayoutNode } from './chain-source.ts';
import { EvmSource } from './evm-source.ts';
import { TronPayoutNode } from './tron-payout-node.ts';
import { TronSource } from './tron-source.ts';

/** Reads a chain at its node or at another one. */
export function chainSource(chain: ChainSettings, url = chain.rpc): ChainSource {
  if (chain.kind === 'bitcoin') return new BitcoinSource(chain, url);
  return chain.kind === 'tron' ? new TronSource(chain, url) : new EvmSource(chain, url);
}

/** Sends payouts to a chain's node or to another one. */
export function payoutNode(chain: PayingChain, url = chain.rpc): PayoutNode {
  if (chain.kind === 'bitcoin') return new BitcoinPayoutNode(chain, url);
  return chain.kind === 'tron' ? new TronPayoutNode(chain, url) : new EvmSource(chain, url);
}
