import { tronAccountOf, tronAddressOf } from '@fairtick/protocol/base58check';
import * as z from 'zod';
import type { PayoutNode, Receipt } from './chain-source.ts';
import { demand, hex, isTransfer, result, TronSource } from './tron-source.ts';

const owner = z.object({ owner_address: z.string().optional() });
const block = z.object({
  block_header: z.object({ raw_data: z.object({ number: z.int() }) }),
  transactions: z
    .array(
      z.object({
        txID: hex(64),
        raw_data: z.object({ contract: z.array(z.object({ parameter: z.object({ value: owner }) })) }),
      }),
    )
    .default([]),
});
const taken = z.object({
  result: z.boolean().default(false),
  code: z.string().default(''),
  message: z.string().default(''),
});

/** A node of TRON that payouts are sent to. All that it tells of them is of solid blocks. */
export class TronPayoutNode extends TronSource implements PayoutNode {
  /** The chain counts no transactions of an address. */
  async nonceAt(): Promise<number> {
    return 0;
  }

  /** The ids of an address's transactions in a block. */
  async transactionsOf(address: string, height: number): Promise<string[]> {
    const found = demand(await this.ask(block, 'getblockbynum', { num: height }));
    const named = found.block_header.raw_data.number;
    if (named !== height) throw new Error(`the node answers with block ${named} for ${height}`);
    const account = `41${tronAccountOf(address)}`;
    return found.transactions.flatMap(({ txID, raw_data: { contract } }) =>
      contract.some(({ parameter }) => parameter.value.owner_address === account) ? [txID] : [],
    );
  }

  async receipt(txid: string): Promise<Receipt | null> {
    const found = await this.ask(result, 'gettransactioninfobyid', { value: txid });
    if (found === null) return null;
    if (found.id !== txid) throw new Error(`the node answers with transaction ${found.id} for ${txid}`);
    const { blockNumber: height, receipt, log: logs } = found;
    const transfers = logs
      .filter(({ topics, data }) => isTransfer(topics, data))
      .map(({ address, topics: [, from = '', to = ''], data }) => ({
        contract: tronAddressOf(address),
        from: tronAddressOf(from.slice(-40)),
        to: tronAddressOf(to.slice(-40)),
        value: BigInt(`0x${data}`),
      }));
    const isDone = receipt.result === 'SUCCESS';
    return { height, hash: demand(await this.hashAt(height)), isDone, transfers };
  }

  /** Whether a block has it, a solid one or not. */
  async knows(txid: string): Promise<boolean> {
    return (await this.ask(z.looseObject({}), 'gettransactionbyid', { value: txid }, 'wallet')) !== null;
  }

  async send(raw: string): Promise<void> {
    const told = demand(await this.ask(taken, 'broadcasthex', { transaction: raw }, 'wallet'));
    if (!told.result && told.code !== 'DUP_TRANSACTION_ERROR')
      throw new Error(`the node refuses a transaction: ${told.code} ${told.message.slice(0, 200)}`);
  }
}
