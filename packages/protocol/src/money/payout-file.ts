import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { Address, NETWORK, OutScript, Transaction } from '@scure/btc-signer';
import { PbfWriter } from 'pbf';
import * as z from 'zod';
import { tronAccountOf } from './base58check.ts';

/**
 * The files between the office and the machine with the house's key (`npm run payout-sign`). A batch has a kind of chain; another
 * kind has another content.
 */
const whole = z.string().regex(/^(0|[1-9]\d{0,77})$/);
const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

const evmOutput = z.strictObject({
  nonce: whole,
  /** The number of the withdrawal. */
  withdrawal: whole,
  asset: z.string().regex(/^[A-Z]{2,8}$/),
  to: evmAddress,
  /** Of the token, with its decimals. */
  contract: evmAddress,
  decimals: z.string().regex(/^([12]?\d|3[0-6])$/),
  /** In the token's smallest unit. */
  value: whole,
});

const evmBatch = z.strictObject({
  kind: z.literal('evm'),
  note: z.string().max(500),
  chain: z.string().max(30),
  chainId: whole,
  network: z.string().max(40),
  /** The house's address, which pays. */
  from: evmAddress,
  /** The most units of gas of a transaction, and the most that it pays for one: in all, and above the base fee; in wei. */
  gas: whole,
  maxFee: whole,
  tip: whole,
  /** The batch whose nonces this one uses, or empty. */
  replaces: z.union([whole, z.literal('')]),
  /** Whether it pays nothing, and only uses the nonces. */
  cancels: z.boolean(),
  outputs: z.array(evmOutput).min(1).max(50),
});
export type EvmBatch = z.infer<typeof evmBatch>;
export type EvmOutput = EvmBatch['outputs'][number];

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const bitcoinAddress = z.string().regex(/^[0-9A-Za-z]{26,90}$/);
const { to: _to, contract: _contract, ...output } = evmOutput.shape;
/** One transaction pays all outputs. Amounts are satoshis. */
const bitcoinBatch = z.strictObject({
  kind: z.literal('bitcoin'),
  note: z.string().max(500),
  chain: z.string().max(30),
  net: z.enum(['main', 'regtest']),
  network: z.string().max(40),
  /** The first input, `txid:place`. Every replacement spends it, so that of all of them one can be paid. */
  from: z.string().regex(/^[0-9a-f]{64}:\d{1,5}$/),
  /** The house's address, which pays by P2WPKH: of all inputs, and of what is left. */
  change: bitcoinAddress,
  inputs: z
    .array(z.strictObject({ txid: hash, place: whole, value: whole }))
    .min(1)
    .max(15),
  /** The whole fee. */
  maxFee: whole,
  tip: z.literal('0'),
  replaces: evmBatch.shape.replaces,
  cancels: z.boolean(),
  /** A nonce is the output's place in the transaction. */
  outputs: z
    .array(z.strictObject({ ...output, to: bitcoinAddress, contract: z.literal('') }))
    .min(1)
    .max(50),
});
export type BitcoinBatch = z.infer<typeof bitcoinBatch>;

const tronAddress = z.string().refine((text) => tronAccountOf(text) !== null);
const tronBatch = z.strictObject({
  ...{ kind: z.literal('tron'), note: evmBatch.shape.note, chain: evmBatch.shape.chain },
  network: evmBatch.shape.network,
  /** The house's address, which pays. */
  from: tronAddress,
  /** The hash of a final block: a chain without it takes none of the transactions. */
  block: hash,
  /** Of the chain, in milliseconds: its time when the batch was prepared, and the first at which no block may take it. */
  timestamp: whole,
  expiration: whole,
  /** What each transaction pays at most, in millionths of the chain's coin. */
  maxFee: whole,
  tip: z.literal('0'),
  replaces: evmBatch.shape.replaces,
  cancels: z.literal(false),
  /** A nonce is the number of a payout: TRON has none. */
  outputs: z
    .array(z.strictObject({ ...output, to: tronAddress, contract: tronAddress }))
    .min(1)
    .max(50),
});
export type TronBatch = z.infer<typeof tronBatch>;
export type PayoutBatch = EvmBatch | BitcoinBatch | TronBatch;
export type PayoutOutput = PayoutBatch['outputs'][number];

/** What the office gives: the approved content, and its hash; of Bitcoin also as a PSBT, for other programs that sign. */
export const unsignedPayouts = z.strictObject({
  batch: z.discriminatedUnion('kind', [evmBatch, bitcoinBatch, tronBatch]),
  hash,
  psbt: z.string().max(20_000).optional(),
});
/** What comes back: a signed transaction for each output, in their order; of Bitcoin one, as bytes or as a PSBT. */
export const signedPayouts = z.strictObject({
  hash,
  signed: z
    .array(z.string().regex(/^((0x)?([0-9a-f]{2}){1,5000}|cHNidP[A-Za-z0-9+/=]{1,30000})$/))
    .min(1)
    .max(50),
});
export type SignedPayouts = z.infer<typeof signedPayouts>;

/** The hash that two people of the office approve. */
export const payoutHash = (batch: PayoutBatch): string =>
  hex.encode(sha256(new TextEncoder().encode(storedText(batch))));

/** JSON as the database writes it (jsonb), which is what it hashes: members by the length of their names, then by the names. */
function storedText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(storedText).join(', ')}]`;
  const members = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}: ${storedText(each)}`).join(', ')}}`;
}

/** The first bytes of a call of `transfer(address,uint256)`. */
const TRANSFER = 'a9059cbb';
const word = (digits: string): string => digits.toLowerCase().padStart(64, '0');
const transferOf = (account: string, value: string): string =>
  `${TRANSFER}${word(account)}${word(BigInt(value).toString(16))}`;

/** The one transaction that an approved output is; of a batch that cancels, one that pays nothing to its own sender. */
export function evmTransaction(batch: EvmBatch, output: EvmOutput) {
  const transfer = `0x${transferOf(output.to.slice(2), output.value)}`;
  return {
    type: 'eip1559',
    chainId: Number(batch.chainId),
    nonce: Number(output.nonce),
    to: (batch.cancels ? batch.from : output.contract) as `0x${string}`,
    value: 0n,
    data: (batch.cancels ? '0x' : transfer) as `0x${string}`,
    gas: BigInt(batch.gas),
    maxFeePerGas: BigInt(batch.maxFee),
    maxPriorityFeePerGas: BigInt(batch.tip),
  } as const;
}

/** Its replacement may have a higher fee (BIP 125). */
const REPLACEABLE = 0xfffffffd;

export const bitcoinNetwork = (net: BitcoinBatch['net']) =>
  net === 'regtest' ? { ...NETWORK, bech32: 'bcrt' } : NETWORK;

/** What returns to the house's address: all inputs without what is paid and the fee. */
export function bitcoinChange({ inputs, outputs, cancels, maxFee }: BitcoinBatch): bigint {
  const sum = (all: readonly { readonly value: string }[]) =>
    all.reduce((to, one) => to + BigInt(one.value), 0n);
  return sum(inputs) - (cancels ? 0n : sum(outputs)) - BigInt(maxFee);
}

/** The one transaction that an approved batch is; of one that cancels, one that pays all to the house. */
export function bitcoinTransaction(batch: BitcoinBatch): Transaction {
  const network = bitcoinNetwork(batch.net);
  const script = OutScript.encode(Address(network).decode(batch.change));
  const transaction = new Transaction();
  for (const { txid, place, value } of batch.inputs)
    transaction.addInput({
      txid,
      index: Number(place),
      sequence: REPLACEABLE,
      witnessUtxo: { script, amount: BigInt(value) },
    });
  if (!batch.cancels)
    for (const { to, value } of batch.outputs) transaction.addOutputAddress(to, BigInt(value), network);
  transaction.addOutputAddress(batch.change, bitcoinChange(batch), network);
  return transaction;
}

/** A call of a contract among TRON's kinds of transactions. */
const TRIGGER = 31;
const TRIGGER_TYPE = 'type.googleapis.com/protocol.TriggerSmartContract';
const tronBytes = (address: string): Uint8Array => hex.decode(`41${tronAccountOf(address)}`);
/** Bytes of a protobuf message, whose fields stand in the order of their numbers, as nodes write them. */
const message = (write: (fields: PbfWriter) => void): Uint8Array => {
  const fields = new PbfWriter();
  write(fields);
  return fields.finish();
};

/**
 * The `raw_data` of the transaction that an approved output is (java-tron, protocol/src/main/protos/core/Tron.proto). Its hash is the
 * transaction's id, whoever signs it. Each output has a millisecond of its own, so that two equal payments are two transactions.
 */
export function tronTransaction(batch: TronBatch, place: number): { raw: Uint8Array; txid: string } {
  const { to, contract, value } = batch.outputs[place] as TronBatch['outputs'][number];
  const call = message((fields) => {
    fields.writeBytesField(1, tronBytes(batch.from));
    fields.writeBytesField(2, tronBytes(contract));
    fields.writeBytesField(4, hex.decode(transferOf(tronAccountOf(to) ?? '', value)));
  });
  const parameter = message((fields) => {
    fields.writeStringField(1, TRIGGER_TYPE);
    fields.writeBytesField(2, call);
  });
  const transfer = message((fields) => {
    fields.writeVarintField(1, TRIGGER);
    fields.writeBytesField(2, parameter);
  });
  const raw = message((fields) => {
    // A block's hash begins with its number in 8 bytes, of which the last two name it.
    fields.writeBytesField(1, hex.decode(batch.block.slice(12, 16)));
    fields.writeBytesField(4, hex.decode(batch.block.slice(16, 32)));
    fields.writeVarintField(8, Number(batch.expiration));
    fields.writeBytesField(11, transfer);
    fields.writeVarintField(14, Number(batch.timestamp) + place);
    fields.writeVarintField(18, Number(batch.maxFee));
  });
  return { raw, txid: hex.encode(sha256(raw)) };
}

/** The bytes that a node takes, as hex. */
export const tronSigned = (raw: Uint8Array, signature: string): string =>
  hex.encode(
    message((fields) => {
      fields.writeBytesField(1, raw);
      fields.writeBytesField(2, hex.decode(signature));
    }),
  );

/** The most that the chain may take of all transactions together, in its coin's smallest unit. */
export const mostFeeOf = (batch: PayoutBatch): bigint =>
  batch.kind === 'bitcoin'
    ? BigInt(batch.maxFee)
    : BigInt(batch.maxFee) * BigInt(batch.kind === 'evm' ? batch.gas : 1) * BigInt(batch.outputs.length);
