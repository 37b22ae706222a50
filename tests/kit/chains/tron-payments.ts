import { createHash } from 'node:crypto';
import { tronAccountOf, tronAddressOf } from '@fairtick/protocol/base58check';
import { PbfReader } from 'pbf';
import { recoverAddress } from 'viem';
import type { FakeChain } from './fake-chain.ts';

const DAY_MS = 86_400_000;
const TRANSFER_EVENT = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const CALL = /^a9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/;

interface Transfer {
  readonly txid: string;
  readonly reference: string;
  readonly expiration: number;
  readonly feeLimit: number;
  readonly owner: string;
  readonly contract: string;
  readonly to: string;
  readonly value: bigint;
  readonly signature: string;
  /** Null: waiting. */
  height: number | null;
  isDone: boolean;
}

/**
 * What a fake of TRON knows of tokens that leave addresses: it takes signed transfers, by the rules of java-tron's
 * Manager.validateTapos and validateCommon, and its blocks carry them out. Its blocks are solid at once.
 */
export class TronPayments {
  readonly #chain: () => FakeChain;
  readonly #times = new Map<string, number>();
  readonly #known = new Map<string, Transfer>();
  /** Of the only token, by account. */
  readonly #balances = new Map<string, bigint>();
  /** Set by a test: what is sent waits for ever. */
  isStuck = false;

  constructor(chain: () => FakeChain) {
    this.#chain = chain;
  }

  fund(address: string, value: bigint): void {
    this.#move(tronAccountOf(address) as string, value);
  }

  balanceOf(address: string): bigint {
    return this.#balances.get(tronAccountOf(address) as string) ?? 0n;
  }

  #move(account: string, value: bigint): void {
    this.#balances.set(account, (this.#balances.get(account) ?? 0n) + value);
  }

  /** The next block has all that waits and has not expired. */
  async mine(blocks = 1): Promise<void> {
    for (let block = 0; block < blocks; block += 1) {
      const height = this.#chain().blocks().length;
      const parentTime = this.timeAt(height - 1);
      await this.#chain().mine();
      const { hash } = this.#chain().blocks()[height] as { hash: string };
      this.#times.set(hash, Math.max(parentTime + 1, Date.now()));
      for (const one of this.#known.values())
        if (one.height === null && one.expiration <= parentTime) this.#known.delete(one.txid);
        else if (one.height === null && !this.isStuck) this.#carryOut(one, height);
    }
  }

  #carryOut(one: Transfer, height: number): void {
    one.height = height;
    one.isDone = (this.#balances.get(one.owner) ?? 0n) >= one.value;
    if (!one.isDone) return;
    this.#move(one.owner, -one.value);
    this.#move(one.to, one.value);
  }

  timeAt(height: number): number {
    return this.#times.get(this.#chain().blocks()[height]?.hash ?? '') ?? 0;
  }

  /** The transactions of a block, as it lists them. */
  transactionsAt(height: number): object[] {
    return this.#at(height).map(({ txid, owner }) => ({
      txID: txid,
      raw_data: { contract: [{ parameter: { value: { owner_address: `41${owner}` } } }] },
    }));
  }

  resultsAt(height: number): object[] {
    return this.#at(height).map(resultOf);
  }

  #at(height: number): Transfer[] {
    return [...this.#known.values()].filter((one) => one.height === height);
  }

  /** An empty answer: there is no such transaction. */
  resultOf(txid: string): object {
    const found = this.#known.get(txid);
    return found === undefined || found.height === null ? {} : resultOf(found);
  }

  find(txid: string): object {
    return (this.#known.get(txid)?.height ?? null) === null ? {} : { txID: txid };
  }

  async take(signed: string, id: (height: number) => string): Promise<object> {
    const transfer = read(Buffer.from(signed, 'hex'));
    const { txid, owner, signature, reference, expiration } = transfer;
    const refuse = (code: string) => ({ result: false, code, message: code.toLowerCase(), txid });
    const signer = await recoverAddress({ hash: `0x${txid}`, signature: `0x${signature}` }).catch(() => '');
    if (signer.toLowerCase() !== `0x${owner}`) return refuse('SIGERROR');
    if (this.#known.has(txid)) return refuse('DUP_TRANSACTION_ERROR');
    const heights = this.#chain().blocks().keys();
    if (![...heights].some((height) => `${id(height).slice(12, 32)}` === reference))
      return refuse('TAPOS_ERROR');
    const headTime = this.timeAt(this.#chain().blocks().length - 1);
    if (expiration <= headTime || expiration > headTime + DAY_MS)
      return refuse('TRANSACTION_EXPIRATION_ERROR');
    this.#known.set(txid, transfer);
    return { result: true, code: 'SUCCESS', message: '', txid };
  }
}

const resultOf = ({ txid, height, isDone, contract, owner, to, value }: Transfer) => ({
  id: txid,
  blockNumber: height,
  receipt: { result: isDone ? 'SUCCESS' : 'REVERT' },
  ...(isDone && {
    log: [
      {
        address: contract,
        topics: [TRANSFER_EVENT, owner.padStart(64, '0'), to.padStart(64, '0')],
        data: value.toString(16).padStart(64, '0'),
      },
    ],
  }),
});

/** All fields of a message: numbers, and the bytes of others. */
type Fields = Record<number, number | Buffer>;
const fieldsOf = (bytes: Buffer): Fields =>
  new PbfReader(bytes).readFields<Fields>((tag, fields, reader) => {
    fields[tag] = reader.type === 0 ? reader.readVarint() : Buffer.from(reader.readBytes());
  }, {});
const bytesOf = (fields: Fields, tag: number): Buffer => {
  const found = fields[tag];
  if (!Buffer.isBuffer(found)) throw new Error(`no bytes ${tag}`);
  return found;
};

/** @throws Error unless it is a call of `transfer` */
function read(bytes: Buffer): Transfer {
  const whole = fieldsOf(bytes);
  const raw = bytesOf(whole, 1);
  const fields = fieldsOf(raw);
  const contract = fieldsOf(bytesOf(fields, 11));
  const parameter = fieldsOf(bytesOf(contract, 2));
  const call = fieldsOf(bytesOf(parameter, 2));
  const [, to, value] = CALL.exec(bytesOf(call, 4).toString('hex')) ?? [];
  if (contract[1] !== 31 || !bytesOf(parameter, 1).toString().endsWith('protocol.TriggerSmartContract'))
    throw new Error('no call of a contract');
  return {
    txid: createHash('sha256').update(raw).digest('hex'),
    reference: bytesOf(fields, 1).toString('hex') + bytesOf(fields, 4).toString('hex'),
    expiration: Number(fields[8]),
    feeLimit: Number(fields[18]),
    owner: bytesOf(call, 1).toString('hex').slice(2),
    contract: bytesOf(call, 2).toString('hex').slice(2),
    to: to as string,
    value: BigInt(`0x${value}`),
    signature: bytesOf(whole, 2).toString('hex'),
    height: null,
    isDone: false,
  };
}

/** The address of a key. */
export const tronAddress = (account: string): string => tronAddressOf(account.slice(2).toLowerCase());
