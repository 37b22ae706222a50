import { readFileSync } from 'node:fs';
import { base58check, tronAccountOf } from '@fairtick/protocol/base58check';
import { HDKey } from '@scure/bip32';
import { Address, NETWORK } from '@scure/btc-signer';
import * as z from 'zod';
import { ConfigError } from './config-error.ts';

/** The chains whose deposits are watched (`CHAINS_FILE`, docs/OPERATIONS.md). What differs between chains of a kind stands here. */
const MAX_BYTES = 100_000;

/** A chain's own coin has no contract. */
export const OWN_COIN = '';
/** Versions of extended public keys: Bitcoin's, and the one that wallets write for addresses of SegWit (SLIP-132). */
export const XPUB_VERSION = 0x0488b21e;
const ZPUB_VERSION = 0x04b24746;
/** The last four bytes of the first block's hash. */
const TRON_MAIN = 0x2b6653dc;

const url = z.url({ protocol: /^https?$/ });
const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, { error: 'is no address of a contract' });
const tronAddress = z
  .string()
  .refine((text) => tronAccountOf(text) !== null, { error: 'is no address of a contract' });
const confirmations = z.int().min(1).max(10_000);

/** Amounts from this one on are credited once the second node has the same block. */
const checkFrom = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .optional();
const tokens = (contract: z.ZodType<string>) =>
  z
    .array(
      z.strictObject({
        asset: z.string().regex(/^[A-Z]{2,8}$/),
        contract,
        /** Of this contract: tokens of one name have others on other chains. */
        decimals: z.int().min(0).max(36),
        checkFrom,
      }),
    )
    .min(1)
    .max(20);

/** Of the chain's coin, in billionths. */
const gwei = z.string().regex(/^\d{1,7}(\.\d{1,9})?$/);

/** From where withdrawals are paid. Its key signs offline, and nothing else than batches (`npm run payout-sign`). */
const payouts = z
  .strictObject({
    /** The address that pays; `own` must contain it. */
    address: evmAddress.transform((text) => text.toLowerCase()),
    /** The most units of gas that a transfer may take. */
    gas: z.int().min(21_000).max(1_000_000).default(100_000),
    /** The highest prices of a unit of gas: in all, above the base fee, and after replacements. */
    maxFeeGwei: gwei,
    tipGwei: gwei,
    mostFeeGwei: gwei,
  })
  .refine(
    ({ maxFeeGwei, tipGwei, mostFeeGwei }) =>
      Number(tipGwei) > 0 &&
      Number(tipGwei) <= Number(maxFeeGwei) &&
      Number(maxFeeGwei) <= Number(mostFeeGwei),
    { error: 'must have 0 < tipGwei <= maxFeeGwei <= mostFeeGwei' },
  );

const common = {
  /** The chain's name in the database; it never changes. */
  chain: z.string().regex(/^[a-z][a-z0-9-]{0,29}$/),
  /** The network of the deposit channels that it serves. */
  network: z.string().min(1).max(40),
  rpc: url,
  secondRpc: url.optional(),
  xpub: z.string().refine(isPublicKey, { error: 'is no extended public key (xpub…)' }),
  /** Address of a transaction's page at an explorer; {txid} stands for its id. Without one there is no link. */
  explorer: url
    .refine((text) => text.includes('{txid}') || text.includes('%7Btxid%7D'), { error: 'must have {txid}' })
    .optional(),
};
const pollMs = z.int().min(100).max(60_000);
/** The most blocks that one request reads. */
const mostBlocks = z.int().min(1).max(10_000);

const evm = z.strictObject({
  ...common,
  kind: z.literal('evm'),
  chainId: z.int().min(1),
  confirmations,
  tokens: tokens(evmAddress.transform((text) => text.toLowerCase())),
  /** The house's other addresses, hot and cold, each with a signature by its key of the text that the start names. */
  own: z
    .array(z.strictObject({ address: evmAddress, signature: z.string().regex(/^0x[0-9a-fA-F]{130}$/) }))
    .max(20)
    .refine((all) => new Set(all.map(({ address }) => address.toLowerCase())).size === all.length, {
      error: 'names an address twice',
    })
    .default([]),
  payouts: payouts.optional(),
  pollMs: pollMs.default(2_000),
  mostBlocks: mostBlocks.default(1_000),
});
export type EvmSettings = Readonly<z.infer<typeof evm>>;

/** Satoshis for each virtual byte of a transaction. */
const feeRate = z.int().min(1).max(10_000);
/** From where withdrawals on Bitcoin are paid: an address of one key (P2WPKH), which signs offline, and nothing else than batches. */
const bitcoinPayouts = z
  .strictObject({
    address: z.string().refine(isKeyAddress, { error: 'is no address of one key (bc1q…)' }),
    feeRate,
    /** The bound of replacements. */
    mostFeeRate: feeRate,
  })
  .refine(({ feeRate, mostFeeRate }) => feeRate <= mostFeeRate, {
    error: 'must have feeRate <= mostFeeRate',
  });

/** Confirmations after which a block counts as final. */
const finalAfter = confirmations;

const bitcoin = z
  .strictObject({
    ...common,
    kind: z.literal('bitcoin'),
    net: z.enum(['main', 'regtest']).default('main'),
    xpub: z.string().transform(withXpubVersion).pipe(common.xpub),
    confirmations: confirmations.default(2),
    finalAfter: finalAfter.default(6),
    checkFrom,
    payouts: bitcoinPayouts.optional(),
    pollMs: pollMs.default(10_000),
    mostBlocks: mostBlocks.default(1_000),
  })
  .transform(({ checkFrom: from, ...rest }) => ({
    ...rest,
    tokens: [
      { asset: 'BTC', contract: OWN_COIN, decimals: 8, ...(from !== undefined && { checkFrom: from }) },
    ],
  }));
export type BitcoinSettings = Readonly<z.infer<typeof bitcoin>>;

/** From where withdrawals on TRON are paid. Its key signs offline, and nothing else than batches. */
const tronPayouts = z.strictObject({
  address: z.string().refine((text) => tronAccountOf(text) !== null, { error: 'is no address of TRON' }),
  /** The most that a transfer may burn, in the chain's coin. */
  feeLimitTrx: z.string().regex(/^[1-9]\d{0,3}(\.\d{1,6})?$/),
  /** For which a batch can be signed and sent. TRON takes no more than a day. */
  minutes: z
    .int()
    .min(10)
    .max(24 * 60)
    .default(12 * 60),
});

const tron = z.strictObject({
  ...common,
  kind: z.literal('tron'),
  chainId: z.int().min(1).default(TRON_MAIN),
  /** TronGrid's key, which is sent with each request. */
  apiKey: z.string().min(1).max(100).optional(),
  confirmations: confirmations.default(1),
  finalAfter: finalAfter.default(20),
  tokens: tokens(tronAddress),
  payouts: tronPayouts.optional(),
  pollMs: pollMs.default(3_000),
  mostBlocks: mostBlocks.default(50),
});
export type TronSettings = Readonly<z.infer<typeof tron>>;

const chain = z.discriminatedUnion('kind', [evm, bitcoin, tron]);
export type ChainSettings = EvmSettings | BitcoinSettings | TronSettings;

/** A chain from which the house pays. */
export type PayingEvm = EvmSettings & { readonly payouts: NonNullable<EvmSettings['payouts']> };
export type PayingBitcoin = BitcoinSettings & { readonly payouts: NonNullable<BitcoinSettings['payouts']> };
export type PayingTron = TronSettings & { readonly payouts: NonNullable<TronSettings['payouts']> };
export type PayingChain = PayingEvm | PayingBitcoin | PayingTron;
export const isPaying = (one: ChainSettings): one is PayingChain => one.payouts !== undefined;
/** Whether CHAINS_FILE names an address as the house's. */
export const isOfHouse = (chain: PayingChain, address: string): boolean =>
  chain.kind === 'evm'
    ? chain.own.some((one) => one.address.toLowerCase() === address.toLowerCase())
    : chain.payouts.address === address;

const chains = z
  .array(chain)
  .min(1)
  .max(20)
  .refine((all) => new Set(all.map((one) => one.chain)).size === all.length, { error: 'names a chain twice' })
  .refine((all) => new Set(all.map((one) => one.network)).size === all.length, {
    error: 'names a network twice',
  })
  .refine((all) => all.every((one) => one.secondRpc || one.tokens.every(({ checkFrom }) => !checkFrom)), {
    error: 'has checkFrom without secondRpc',
  })
  .refine((all) => all.every((one) => !isPaying(one) || isOfHouse(one, one.payouts.address)), {
    error: 'pays from an address that is not in own',
  })
  .refine((all) => all.every((one) => one.kind !== 'tron' || !one.payouts || one.secondRpc), {
    error: 'pays on TRON without secondRpc',
  });

/** Extended private keys, raw keys of 32 bytes, and phrases of twelve words or more. */
const PRIVATE =
  /[a-zA-Z]prv[1-9A-HJ-NP-Za-km-z]{100}|(?<![0-9a-zA-Z])(0x)?[0-9a-fA-F]{64}(?![0-9a-zA-Z])|([a-z]{3,8}[ ,"]+){11}[a-z]{3,8}/;

/** @throws ConfigError with one line, which repeats nothing of a file that holds a private key */
export function readChainsFile(path: string): readonly ChainSettings[] {
  const refuse = (why: string): never => {
    throw new ConfigError(`CHAINS_FILE ${path} ${why}`);
  };
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return refuse(`can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (text.length > MAX_BYTES) refuse(`is larger than ${MAX_BYTES} bytes`);
  if (PRIVATE.test(text))
    refuse('holds a private key: only extended public keys belong on a server. Move this key’s money');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refuse('is no JSON');
  }
  const read = chains.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return refuse(`at ${issue?.path.join('.') || 'the top'}: ${issue?.message.split('\n')[0]}`);
}

/** A key in the form of SegWit's wallets (zpub) as the same key in the usual form. */
function withXpubVersion(text: string): string {
  return text.startsWith('zpub') ? withVersion(text, ZPUB_VERSION, XPUB_VERSION) : text;
}

/** The same extended key under another version; other text stays. */
export function withVersion(text: string, from: number, to: number): string {
  try {
    const bytes = Buffer.from(base58check.decode(text));
    if (bytes.readUInt32BE() !== from) return text;
    bytes.writeUInt32BE(to);
    return base58check.encode(bytes);
  } catch {
    return text;
  }
}

function isPublicKey(text: string): boolean {
  try {
    return HDKey.fromExtendedKey(text).privateKey === null;
  } catch {
    return false;
  }
}

function isKeyAddress(text: string): boolean {
  try {
    return [NETWORK, { ...NETWORK, bech32: 'bcrt' }].some(
      (network) => text.startsWith(`${network.bech32}1`) && Address(network).decode(text).type === 'wpkh',
    );
  } catch {
    return false;
  }
}
