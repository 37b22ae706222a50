import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { tronAddressOf } from '@fairtick/protocol/base58check';
import {
  bitcoinChange,
  bitcoinNetwork,
  bitcoinTransaction,
  evmTransaction,
  mostFeeOf,
  type PayoutBatch,
  payoutHash,
  tronSigned,
  tronTransaction,
  unsignedPayouts,
} from '@fairtick/protocol/payout-file';
import { hex } from '@scure/base';
import { p2wpkh } from '@scure/btc-signer';
import { formatUnits, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/**
 * `npm run payout-sign -- FILE [--key KEYFILE]`: signs a batch of payouts on a machine without a network, and writes FILE.signed.json.
 * The key is the first line of KEYFILE, or of the input. docs/OFFICE.md says how a batch goes from the office to here and back.
 */
const COIN = { evm: 18, bitcoin: 8, tron: 6 } as const;
const KEY = /^0x[0-9a-fA-F]{64}$/;

/** What a batch does, line by line, for the person who signs. */
function inWords(batch: PayoutBatch): string[] {
  const sums = new Map<string, bigint>();
  const lines = batch.outputs.map(({ nonce, withdrawal, asset, to, contract, decimals, value }, place) => {
    const what = `withdrawal ${withdrawal}, transaction number ${nonce}`;
    if (batch.cancels) return `${place + 1}. Pay nothing for ${what}`;
    const unit = `${asset} ${contract} ${decimals}`;
    sums.set(unit, (sums.get(unit) ?? 0n) + BigInt(value));
    return `${place + 1}. Pay ${formatUnits(BigInt(value), Number(decimals))} ${asset} on ${batch.network} to ${to}\n   for ${what}`;
  });
  const from = batch.kind === 'bitcoin' ? batch.change : batch.from;
  return [
    `Batch of ${batch.outputs.length}: ${batch.note} (${chainOf(batch)}, ${batch.network})`,
    ...(batch.replaces === '' ? [] : [`It replaces batch ${batch.replaces}: of both, one can be paid.`]),
    `From ${from}`,
    ...lines,
    ...[...sums].map(([unit, sum]) => {
      const [asset, contract, decimals] = unit.split(' ');
      const together = `Together ${formatUnits(sum, Number(decimals))} ${asset}`;
      return contract === '' ? together : `${together}, of the token ${contract} with ${decimals} decimals`;
    }),
    ...(batch.kind === 'bitcoin'
      ? [`${formatUnits(bitcoinChange(batch), COIN.bitcoin)} returns to ${batch.change}`]
      : []),
    ...(batch.kind === 'tron'
      ? [`No block takes it after ${new Date(Number(batch.expiration)).toISOString()}`]
      : []),
    `The chain takes at most ${formatUnits(mostFeeOf(batch), COIN[batch.kind])} of its own coin`,
    `Hash ${payoutHash(batch).replaceAll(/(.{8})(?=.)/g, '$1 ')}`,
  ];
}

function chainOf(batch: PayoutBatch): string {
  if (batch.kind === 'bitcoin') return batch.net;
  return batch.kind === 'tron' ? `after the block ${batch.block}` : `chain ${batch.chainId}`;
}

/** The key's address, the one that pays, and what the key signs. */
function signerOf(batch: PayoutBatch, key: Hex) {
  if (batch.kind === 'bitcoin') {
    const transaction = bitcoinTransaction(batch);
    const secret = hex.decode(key.slice(2));
    const publicKey = hex.decode(privateKeyToAccount(key).publicKey.slice(2));
    const address = p2wpkh(compressed(publicKey), bitcoinNetwork(batch.net)).address as string;
    const sign = async () => {
      transaction.sign(secret);
      transaction.finalize();
      return [transaction.hex];
    };
    return { address, payer: batch.change, sign };
  }
  const account = privateKeyToAccount(key);
  if (batch.kind === 'tron') {
    const sign = () =>
      Promise.all(
        batch.outputs.map(async (_, place) => {
          const { raw, txid } = tronTransaction(batch, place);
          return tronSigned(raw, (await account.sign({ hash: `0x${txid}` })).slice(2));
        }),
      );
    return { address: tronAddressOf(account.address.slice(2).toLowerCase()), payer: batch.from, sign };
  }
  const sign = () =>
    Promise.all(batch.outputs.map((output) => account.signTransaction(evmTransaction(batch, output))));
  return { address: account.address, payer: batch.from, sign };
}

/** The first half of a public key, after the sign of the second. */
const compressed = (key: Uint8Array): Uint8Array =>
  Uint8Array.of((key.at(-1) ?? 0) % 2 === 0 ? 2 : 3, ...key.slice(1, 33));

async function sign(path: string, keyPath: string | null): Promise<number> {
  const read = unsignedPayouts.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!read.success) return fail(`${path} is no file of a batch`);
  const { batch, hash } = read.data;
  if (payoutHash(batch) !== hash)
    return fail(`${path} was changed: its content has another hash. Nothing is signed`);
  console.log(inWords(batch).join('\n'));
  let isHidden = false;
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isHidden) process.stdout.write(chunk);
      done();
    },
  });
  const input = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
  const lines = input[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    process.stdout.write(question);
    return String((await lines.next()).value ?? '').trim();
  };
  try {
    let key = keyPath === null ? null : readFileSync(keyPath, 'utf8').trim();
    if (key === null) {
      isHidden = true;
      key = await ask('The private key (it is not shown): ');
      isHidden = false;
      console.log();
    }
    if (!KEY.test(key)) return fail('the key is no 0x and 64 hexadecimal digits');
    const signer = signerOf(batch, key as Hex);
    if (signer.address.toLowerCase() !== signer.payer.toLowerCase())
      return fail(`the key is of ${signer.address}, not of ${signer.payer}`);
    const answer = await ask('Compare the hash with the office. Sign all of it? (y/n) ');
    if (answer !== 'y') return fail('nothing is signed');
    const signed = await signer.sign();
    const target = `${path.replace(/\.json$/, '')}.signed.json`;
    writeFileSync(target, JSON.stringify({ hash, signed }, null, 2), { flag: 'wx' });
    console.log(`signed: ${target}`);
    return 0;
  } finally {
    input.close();
  }
}

function fail(text: string): number {
  console.error(text);
  return 2;
}

const [path, flag, keyPath] = process.argv.slice(2);
const isUsage = path === undefined || (flag !== undefined && (flag !== '--key' || keyPath === undefined));
process.exitCode = isUsage
  ? fail('npm run payout-sign -- FILE [--key KEYFILE]')
  : await sign(path, keyPath ?? null).catch((error: Error) => fail(error.message));
