import { isOwned, ownershipText } from '@fairtick/proof';
import type { ChainSettings } from '../../config/chains-file.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Assets } from '../../platform/assets.ts';
import { call, perform } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import type { ChainSource } from './chain-source.ts';

/** Requests to the node at once. */
const AT_ONCE = 20;

/** @throws ConfigError unless each address of the house is signed for this log, with the text that its owner has to sign */
export function demandOwned(settings: ChainSettings, origin: string): void {
  if (settings.kind !== 'evm') return;
  const { chain, own } = settings;
  const wrong = own.find(({ address, signature }) => !isOwned(origin, plain({ address, signature })));
  if (wrong)
    throw new ConfigError(
      `CHAINS_FILE ${chain}: the signature of ${wrong.address} is not by its key, of exactly this text: ${ownershipText(origin, wrong.address)}`,
    );
}

/** Records what is held of each token at the newest final block, once after each day's liabilities. */
export async function takeHoldings(parts: {
  chain: ChainSettings;
  db: Pool;
  assets: Assets;
  source: ChainSource;
}): Promise<void> {
  const { chain, db, assets, source } = parts;
  // Only nodes of this kind tell balances of former blocks.
  if (chain.kind !== 'evm') return;
  for (const token of chain.tokens) {
    const { contract } = token;
    const asset = assets.byCode(token.asset)?.id;
    if (asset === undefined) continue;
    const which = { chain: chain.chain, contract, asset };
    const date = await call<string | null>(db, 'chain_holdings_due', which);
    const block = date === null ? null : await source.final();
    if (block === null) continue;
    const { rows } = await db.query<{ address: string }>(
      'select distinct address from chain_deposits where chain = $1 and contract = $2',
      [chain.chain, contract],
    );
    const holding = (address: string) => source.holding(contract, address, block.height);
    const deposits = await inTurn(
      rows.map(({ address }) => address),
      holding,
    );
    const own = await inTurn(
      chain.own.map(({ address }) => address),
      holding,
    );
    if (deposits === null || own === null || (await source.hashAt(block.height)) !== block.hash) continue;
    await perform(db, 'chain_holdings_take', {
      date,
      ...which,
      chainId: chain.chainId,
      decimals: token.decimals,
      height: block.height,
      hash: block.hash,
      deposits: deposits.reduce((sum, units) => sum + units, 0n).toString(),
      own: chain.own
        .map(plain)
        .map(({ address, signature }, place) => `${address}:${own[place]}:${signature}`)
        .join(','),
    });
  }
}

/** Null if the node can't tell one of them. */
async function inTurn(
  addresses: readonly string[],
  holding: (address: string) => Promise<bigint | null>,
): Promise<bigint[] | null> {
  const found: bigint[] = [];
  for (let start = 0; start < addresses.length; start += AT_ONCE) {
    const some = await Promise.all(addresses.slice(start, start + AT_ONCE).map(holding));
    const known = some.filter((units) => units !== null);
    if (known.length < some.length) return null;
    found.push(...known);
  }
  return found;
}

/** As log entries write them. */
const plain = ({ address, signature }: { readonly address: string; readonly signature: string }) => ({
  address: address.toLowerCase(),
  signature: signature.slice(2).toLowerCase(),
});
