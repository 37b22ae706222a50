import { parseAmount } from '@fairtick/money';
import { type AnyErrorCode, errorMessage, type Language } from '@fairtick/protocol';
import { type PayoutBatch, payoutHash, signedPayouts } from '@fairtick/protocol/payout-file';
import { type ChainSettings, isPaying, type PayingChain } from '../../config/chains-file.ts';
import type { Destinations } from '../../customers/personal-data/destinations.ts';
import { call, callRow, perform } from '../../platform/db/call.ts';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import { signedFault, txidOf } from '../chains/evm-payouts.ts';

export interface BatchParts {
  readonly pool: Pool;
  readonly destinations: Destinations;
  readonly chains: readonly ChainSettings[];
}

/** The most payouts of a batch. */
const MOST = 50;
const GWEI = 9;

const WAITING = `from withdrawal_requests r join ledger.assets a on a.id = r.asset_id
  join crypto_addresses c on c.id = r.destination_id and c.network = $1 where r.status = 'approved' and a.code = any ($2)`;
const waitingOn = ({ network, tokens }: ChainSettings) => [network, tokens.map(({ asset }) => asset)];

export async function countWaiting(db: Queryable, chain: ChainSettings): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select count(*)::int ${WAITING}`, waitingOn(chain));
  return rows[0]?.count ?? 0;
}

interface LeftOut {
  readonly id: string;
  readonly reason: AnyErrorCode;
}

/** Prepares a batch of the approved withdrawals of a chain, oldest first. `id` is null if none of them can be paid now. */
export async function prepareBatch(
  parts: BatchParts,
  { staffId, name, language }: { staffId: string; name: string; language: Language },
): Promise<{ id: string | null; leftOut: (LeftOut & { text: string })[] }> {
  const chain = payingChain(parts, name);
  const { rows } = await parts.pool.query<{ id: string; asset: string }>(
    `select r.id::text, a.code as asset ${WAITING} order by r.approved_at, r.id limit ${MOST}`,
    waitingOn(chain),
  );
  const unpayable: LeftOut[] = [];
  const outputs: object[] = [];
  for (const { id, asset } of rows)
    try {
      const token = chain.tokens.find((one) => one.asset === asset) as ChainSettings['tokens'][number];
      const { contract, decimals } = token;
      outputs.push({ withdrawal: id, to: await payableAddress(parts, chain, id), contract, decimals });
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      unpayable.push({ id, reason: error.code });
    }
  const made = await callRow<{ id: string | null; left_out: LeftOut[] }>(parts.pool, 'payout_prepare', {
    staff: staffId,
    terms: JSON.stringify(termsOf(chain)),
    outputs: JSON.stringify(outputs),
  });
  const leftOut = [...unpayable, ...made.left_out];
  return {
    id: made.id,
    leftOut: leftOut.map(({ id, reason }) => ({ id, reason, text: errorMessage(reason, language) })),
  };
}

/** The content of a batch without its outputs. */
function termsOf({ kind, chain, chainId, network, payouts }: PayingChain) {
  return {
    note: `payouts on ${chain}`,
    kind,
    chain,
    chainId: String(chainId),
    network,
    from: payouts.address,
    gas: String(payouts.gas),
    maxFee: `${weiOf(payouts.maxFeeGwei)}`,
    tip: `${weiOf(payouts.tipGwei)}`,
  };
}

/**
 * The address of a withdrawal, after the checks of {@link Destinations.demandPayable}.
 * @throws RefusalError
 */
export async function payableAddress(
  { pool, destinations }: BatchParts,
  chain: PayingChain,
  id: string,
): Promise<string> {
  const { rows } = await pool.query<{ customer: string; destination: string }>(
    'select customer_id::text as customer, destination_id::text as destination from withdrawal_requests where id = $1',
    [id],
  );
  if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
  const { customer, destination } = rows[0];
  await destinations.demandPayable(pool, customer, destination);
  const opened = await destinations.read(pool, customer, destination);
  if (opened?.kind !== 'crypto') throw new RefusalError('DESTINATION_GONE');
  const house = [...chain.own.map(({ address }) => address), ...chain.tokens.map(({ contract }) => contract)];
  if (house.some((address) => address.toLowerCase() === opened.address.toLowerCase()))
    throw new RefusalError('ADDRESS_OF_HOUSE');
  return opened.address;
}

/** Raises both fees by a quarter; nodes take a replacement from a tenth on. @throws RefusalError above the operator's bound */
export async function replaceBatch(
  parts: BatchParts,
  { staffId, id, cancels }: { staffId: string; id: string; cancels: boolean },
): Promise<string> {
  const { batch } = await readBatch(parts.pool, id);
  const raised = (fee: string) => (BigInt(fee) * 5n + 3n) / 4n;
  const maxFee = raised(batch.maxFee);
  if (maxFee > weiOf(payingChain(parts, batch.chain).payouts.mostFeeGwei))
    throw new RefusalError('PAYOUT_FEE_BOUND');
  const fees = { maxFee: `${maxFee}`, tip: `${raised(batch.tip)}` };
  return call(parts.pool, 'payout_replace', { staff: staffId, batch: id, cancels, ...fees });
}

/**
 * Takes in a signed file, which is stored before anything is sent.
 * @throws RefusalError unless each transaction is exactly the approved one, signed by the paying address
 */
export async function signBatch(
  { pool }: BatchParts,
  { staffId, id, file }: { staffId: string; id: string; file: string },
): Promise<null> {
  const { batch, hash } = await readBatch(pool, id);
  const read = readSigned(file);
  if (read.hash !== hash || payoutHash(batch) !== hash) throw differs('batch');
  if (read.signed.length !== batch.outputs.length) throw differs('outputs');
  for (const [place, output] of batch.outputs.entries()) {
    const fault = await signedFault(batch, output, read.signed[place] as string);
    if (fault !== null) throw differs(`${output.nonce} ${fault}`);
  }
  return perform(pool, 'payout_sign', {
    staff: staffId,
    batch: id,
    content: Buffer.from(hash, 'hex'),
    txids: read.signed.map(txidOf),
    raws: read.signed,
  });
}

const differs = (what: string) => refusalOf('PAYOUT_FILE_DIFFERS', 'file', { what });

function readSigned(file: string) {
  try {
    return signedPayouts.parse(JSON.parse(file));
  } catch {
    throw refusalOf('PAYOUT_FILE_UNREADABLE', 'file');
  }
}

/** A batch that two people agreed to. @throws RefusalError */
export async function readBatch(db: Queryable, id: string): Promise<{ batch: PayoutBatch; hash: string }> {
  const { rows } = await db.query<{ batch: PayoutBatch; hash: string }>(
    `select b.content as batch, encode(p.content_hash, 'hex') as hash
     from payout_batches b join proposals p on p.id = b.id where b.id = $1`,
    [id],
  );
  if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
  return rows[0];
}

/** @throws RefusalError */
function payingChain({ chains }: Pick<BatchParts, 'chains'>, name: string): PayingChain {
  const chain = chains.find((one) => one.chain === name);
  if (!chain || !isPaying(chain)) throw new RefusalError('REQUEST_NOT_FOUND');
  return chain;
}

function weiOf(gwei: string): bigint {
  const wei = parseAmount(gwei, GWEI);
  if (wei === null) throw new Error(`no fee: ${gwei}`);
  return wei;
}
