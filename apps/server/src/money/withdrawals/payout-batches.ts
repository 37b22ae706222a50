import { parseAmount } from '@fairtick/money';
import { type AnyErrorCode, errorMessage, type Language } from '@fairtick/protocol';
import {
  type BitcoinBatch,
  bitcoinChange,
  type PayoutBatch,
  payoutHash,
  signedPayouts,
} from '@fairtick/protocol/payout-file';
import {
  type ChainSettings,
  isPaying,
  type PayingBitcoin,
  type PayingChain,
  type PayingEvm,
  type PayingTron,
} from '../../config/chains-file.ts';
import type { Destinations } from '../../customers/personal-data/destinations.ts';
import { call, callRow, perform } from '../../platform/db/call.ts';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import { BitcoinPayoutNode, type Coin } from '../chains/bitcoin-payout-node.ts';
import { LEAST_OUTPUT, sizeOf } from '../chains/bitcoin-payouts.ts';
import { readSigned } from '../chains/signed-payouts.ts';
import { TronPayoutNode } from '../chains/tron-payout-node.ts';

export interface BatchParts {
  readonly pool: Pool;
  readonly destinations: Destinations;
  readonly chains: readonly ChainSettings[];
}

/** The most payouts of a batch. */
const MOST = 50;
const GWEI = 9;
const TRX = 6;

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
  const { rows } = await parts.pool.query<{ id: string; asset: string; units: string }>(
    `select r.id::text, a.code as asset, (r.amount - r.fee)::text as units
     ${WAITING} order by r.approved_at, r.id limit ${MOST}`,
    waitingOn(chain),
  );
  const unpayable: LeftOut[] = [];
  const outputs: object[] = [];
  const funds = chain.kind === 'bitcoin' ? await BitcoinFunds.read(parts.pool, chain) : null;
  for (const { id, asset, units } of rows)
    try {
      const token = chain.tokens.find((one) => one.asset === asset) as ChainSettings['tokens'][number];
      const { contract, decimals } = token;
      const output = { withdrawal: id, to: await payableAddress(parts, chain, id), contract, decimals };
      funds?.take(BigInt(units));
      outputs.push(output);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      unpayable.push({ id, reason: error.code });
    }
  const made = await callRow<{ id: string | null; left_out: LeftOut[] }>(parts.pool, 'payout_prepare', {
    staff: staffId,
    terms: JSON.stringify(funds?.terms() ?? (await termsOf(chain as PayingEvm | PayingTron))),
    outputs: JSON.stringify(outputs),
  });
  const leftOut = [...unpayable, ...made.left_out];
  return {
    id: made.id,
    leftOut: leftOut.map(({ id, reason }) => ({ id, reason, text: errorMessage(reason, language) })),
  };
}

/** The content of a batch without its outputs. */
async function termsOf(settings: PayingEvm | PayingTron) {
  const { kind, chain, chainId, network, payouts } = settings;
  const common = { note: `payouts on ${chain}`, kind, chain, network, from: payouts.address };
  if (settings.kind === 'tron') return { ...common, ...(await tronTimes(settings)) };
  const { gas, maxFeeGwei, tipGwei } = settings.payouts;
  return {
    ...common,
    chainId: String(chainId),
    gas: String(gas),
    maxFee: `${weiOf(maxFeeGwei)}`,
    tip: `${weiOf(tipGwei)}`,
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
  const own = chain.kind === 'evm' ? chain.own : [chain.payouts];
  const house = [...own.map(({ address }) => address), ...chain.tokens.map(({ contract }) => contract)];
  if (house.some((address) => address.toLowerCase() === opened.address.toLowerCase()))
    throw new RefusalError('ADDRESS_OF_HOUSE');
  return opened.address;
}

/**
 * Raises fees by a quarter; nodes take a replacement from a tenth on. On TRON it gives a batch that has expired another time.
 * @throws RefusalError above the operator's bound
 */
export async function replaceBatch(
  parts: BatchParts,
  { staffId, id, cancels }: { staffId: string; id: string; cancels: boolean },
): Promise<string> {
  const { batch } = await readBatch(parts.pool, id);
  const raised = (fee: string) => (BigInt(fee) * 5n + 3n) / 4n;
  const chain = payingChain(parts, batch.chain);
  if (chain.kind === 'tron') {
    if (cancels) throw new RefusalError('INVALID_VALUE');
    const terms = JSON.stringify(await tronTimes(chain));
    return call(parts.pool, 'payout_replace', { staff: staffId, batch: id, cancels, terms });
  }
  let maxFee = raised(batch.maxFee);
  if (batch.kind === 'bitcoin' && chain.kind === 'bitcoin') {
    const size = sizeOf(batch.inputs.length, batch.outputs.length);
    // Nodes take a replacement that also pays for its own way.
    maxFee = [maxFee, BigInt(batch.maxFee) + BigInt(size)].reduce((a, b) => (a > b ? a : b));
    const rest = bitcoinChange({ ...batch, cancels, maxFee: `${maxFee}` });
    if (maxFee > BigInt(size * chain.payouts.mostFeeRate) || rest < LEAST_OUTPUT)
      throw new RefusalError('PAYOUT_FEE_BOUND');
  } else if (chain.kind === 'evm' && maxFee > weiOf(chain.payouts.mostFeeGwei))
    throw new RefusalError('PAYOUT_FEE_BOUND');
  const terms = JSON.stringify({ maxFee: `${maxFee}`, tip: `${raised(batch.tip)}` });
  return call(parts.pool, 'payout_replace', { staff: staffId, batch: id, cancels, terms });
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
  const read = readFile(file);
  if (read.hash !== hash || payoutHash(batch) !== hash) throw differs('batch');
  const signed = await readSigned(batch, read.signed);
  if (typeof signed === 'string') throw differs(signed);
  return perform(pool, 'payout_sign', {
    staff: staffId,
    batch: id,
    content: Buffer.from(hash, 'hex'),
    txids: signed.map(({ txid }) => txid),
    raws: signed.map(({ raw }) => raw),
  });
}

const differs = (what: string) => refusalOf('PAYOUT_FILE_DIFFERS', 'file', { what });

function readFile(file: string) {
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

/** A node whose newest block is older than this, or as far in the future, tells no time to which an expiration may be tied. */
const MOST_OFF_MS = 600_000;

/** The part of a batch's content by which TRON takes it once, for some time. @throws RefusalError without a node */
async function tronTimes(chain: PayingTron) {
  const node = new TronPayoutNode(chain);
  const block = await node
    .demandChain()
    .then(() => node.head())
    .catch(() => null);
  if (block === null || Math.abs(Date.now() - block.time) > MOST_OFF_MS)
    throw new RefusalError('PAYOUT_NO_NODE');
  const { feeLimitTrx, minutes } = chain.payouts;
  return {
    block: block.hash,
    timestamp: `${block.time}`,
    expiration: `${block.time + minutes * 60_000}`,
    maxFee: `${parseAmount(feeLimitTrx, TRX)}`,
    tip: '0',
  };
}

/** Inputs that a transaction has at most; what is left to the house beside the fee. */
const MOST_INPUTS = 15;

/** The coins of a paying address on Bitcoin that no batch has, and what a batch spends of them. */
class BitcoinFunds {
  readonly #chain: PayingBitcoin;
  readonly #coins: readonly Coin[];
  #paid = 0n;
  #outputs = 0;

  static async read(pool: Pool, chain: PayingBitcoin): Promise<BitcoinFunds> {
    const coins = await new BitcoinPayoutNode(chain).coins().catch(() => {
      throw new RefusalError('PAYOUT_NO_NODE');
    });
    const { rows } = await pool.query<{ coin: string }>(
      `select (i ->> 'txid') || ':' || (i ->> 'place') as coin
       from payout_batches b cross join jsonb_array_elements(b.content -> 'inputs') i where b.chain = $1`,
      [chain.chain],
    );
    const used = new Set(rows.map(({ coin }) => coin));
    return new BitcoinFunds(
      chain,
      coins
        .filter(({ txid, place }) => !used.has(`${txid}:${place}`))
        .sort((a, b) => (BigInt(a.value) < BigInt(b.value) ? 1 : -1)),
    );
  }

  constructor(chain: PayingBitcoin, coins: readonly Coin[]) {
    this.#chain = chain;
    this.#coins = coins;
  }

  /** Adds an output. @throws RefusalError if the coins don't cover it, or nodes would not pass it on */
  take(value: bigint): void {
    if (value < LEAST_OUTPUT) throw new RefusalError('INVALID_AMOUNT');
    if (this.#inputsFor(this.#paid + value, this.#outputs + 1) === null)
      throw new RefusalError('PAYOUT_NO_COINS');
    this.#paid += value;
    this.#outputs += 1;
  }

  /** The content of a batch without its outputs. */
  terms(): Omit<BitcoinBatch, 'replaces' | 'cancels' | 'outputs'> | object {
    const { kind, chain, net, network, payouts } = this.#chain;
    const inputs = this.#inputsFor(this.#paid, this.#outputs) ?? [];
    return {
      note: `payouts on ${chain}`,
      kind,
      chain,
      net,
      network,
      from: `${inputs[0]?.txid}:${inputs[0]?.place}`,
      change: payouts.address,
      inputs,
      maxFee: `${this.#feeOf(inputs.length, this.#outputs)}`,
      tip: '0',
    };
  }

  #feeOf(inputs: number, outputs: number): bigint {
    return BigInt(sizeOf(inputs, outputs) * this.#chain.payouts.feeRate);
  }

  /** The fewest coins that cover this; null: they don't. */
  #inputsFor(value: bigint, outputs: number): readonly Coin[] | null {
    let sum = 0n;
    for (const [place, coin] of this.#coins.slice(0, MOST_INPUTS).entries()) {
      sum += BigInt(coin.value);
      if (sum >= value + this.#feeOf(place + 1, outputs) + LEAST_OUTPUT)
        return this.#coins.slice(0, place + 1);
    }
    return null;
  }
}
