import {
  BaseError,
  BlockNotFoundError,
  type BlockTag,
  createPublicClient,
  type Hex,
  http,
  numberToHex,
  type PublicClient,
  RpcRequestError,
} from 'viem';
import type { EvmSettings } from '../../config/chains-file.ts';
import type { Block, ChainSource, Payment, PayoutNode, Receipt } from './chain-source.ts';

/** The hash of `Transfer(address,address,uint256)`, the event of every token. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** The first bytes of a call of `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231';
const TIMEOUT_MS = 10_000;
/** Nodes bound the length of a filter. */
const ADDRESSES_A_CALL = 1_000;
/** `0x` and 32 bytes. */
const WORD = 66;

/** A node with Ethereum's JSON-RPC. It reads transfers of tokens; the chain's own coin leaves no log where a contract sends it. */
export class EvmSource implements ChainSource, PayoutNode {
  readonly #client: PublicClient;
  readonly #chain: EvmSettings;

  constructor(chain: EvmSettings, url = chain.rpc) {
    this.#chain = chain;
    this.#client = createPublicClient({ transport: http(url, { timeout: TIMEOUT_MS, retryCount: 1 }) });
  }

  async demandChain(): Promise<void> {
    const id = await this.#client.getChainId();
    if (id !== this.#chain.chainId) throw new Error(`the node is of chain ${id}, not ${this.#chain.chainId}`);
  }

  async head(): Promise<Block> {
    const head = await this.#block({ blockTag: 'latest' });
    if (head === null) throw new Error('the node has no block');
    return head;
  }

  final(): Promise<Block | null> {
    return this.#block({ blockTag: 'finalized' });
  }

  async hashAt(height: number): Promise<string | null> {
    return (await this.#block({ blockNumber: BigInt(height) }))?.hash ?? null;
  }

  async payments(from: number, to: number, addresses: readonly string[]): Promise<Payment[]> {
    const found: Payment[] = [];
    for (let start = 0; start < addresses.length; start += ADDRESSES_A_CALL) {
      // The form in which logs name an address.
      const topics = new Map(
        addresses
          .slice(start, start + ADDRESSES_A_CALL)
          .map((address) => [topicOf(address), address] as const),
      );
      found.push(...(await this.#transfers(from, to, topics)));
    }
    return found;
  }

  async holding(contract: string, address: string, height: number): Promise<bigint | null> {
    const data = `${BALANCE_OF}${topicOf(address).slice(2)}` as Hex;
    try {
      const params = [{ to: contract as Hex, data }, numberToHex(height)] as const;
      const answer = await this.#client.request({ method: 'eth_call', params: [...params] });
      return answer.length === WORD ? BigInt(answer) : null;
    } catch (error) {
      // Nodes forget old states.
      if (isAnswer(error)) return null;
      throw error;
    }
  }

  async nonceAt(address: string, height: number): Promise<number> {
    const params = [address as Hex, numberToHex(height)] as const;
    return Number(await this.#client.request({ method: 'eth_getTransactionCount', params: [...params] }));
  }

  async receipt(txid: string): Promise<Receipt | null> {
    const found = await this.#client.request({
      method: 'eth_getTransactionReceipt',
      params: [txid as Hex],
    });
    if (found === null) return null;
    const { blockNumber, blockHash, status, logs } = found;
    return {
      height: Number(blockNumber),
      hash: blockHash,
      isDone: status === '0x1',
      transfers: logs
        .filter(({ topics, data }) => topics[0] === TRANSFER && topics.length === 3 && data.length === WORD)
        .map(({ address, topics, data }) => ({
          contract: address.toLowerCase(),
          from: addressIn(topics[1]),
          to: addressIn(topics[2]),
          value: BigInt(data),
        })),
    };
  }

  async knows(txid: string): Promise<boolean> {
    const params = [txid as Hex] as const;
    return (await this.#client.request({ method: 'eth_getTransactionByHash', params: [...params] })) !== null;
  }

  async send(raw: string): Promise<void> {
    await this.#client.request({ method: 'eth_sendRawTransaction', params: [raw as Hex] });
  }

  /** A range that the node refuses is read in halves. The words of refusals differ, so every answer counts as one. */
  async #transfers(from: number, to: number, topics: ReadonlyMap<string, string>): Promise<Payment[]> {
    try {
      const filter = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
      const logs = await this.#client.request({
        method: 'eth_getLogs',
        params: [{ ...filter, topics: [TRANSFER, null, [...topics.keys()] as Hex[]] }],
      });
      return paymentsOf(logs, topics);
    } catch (error) {
      if (from === to || !isAnswer(error)) throw error;
      const middle = Math.floor((from + to) / 2);
      return [
        ...(await this.#transfers(from, middle, topics)),
        ...(await this.#transfers(middle + 1, to, topics)),
      ];
    }
  }

  async #block(which: { blockTag: BlockTag } | { blockNumber: bigint }): Promise<Block | null> {
    try {
      const { number, hash } = await this.#client.getBlock(which);
      return number === null || hash === null ? null : { height: Number(number), hash };
    } catch (error) {
      if (error instanceof BlockNotFoundError) return null;
      throw error;
    }
  }
}

const addressIn = (topic: string | undefined): string => `0x${(topic ?? '').slice(-40).toLowerCase()}`;
const topicOf = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string | null;
  readonly blockHash: string | null;
  readonly transactionHash: string | null;
  readonly logIndex: string | null;
  readonly removed: boolean;
}

/** A log of another form, such as the transfer of a collectible, is no payment. */
function paymentsOf(logs: readonly Log[], topics: ReadonlyMap<string, string>): Payment[] {
  const counts = new Map<string, number>();
  return logs
    .map((log) => ({ ...log, height: Number(log.blockNumber), place: Number(log.logIndex) }))
    .sort((a, b) => a.height - b.height || a.place - b.place)
    .flatMap((log): Payment[] => {
      const address = topics.get(log.topics[2] ?? '');
      const { transactionHash: txid, blockHash: hash, height, data } = log;
      if (address === undefined || txid === null || hash === null || log.removed) return [];
      if (log.topics.length !== 3 || data.length !== WORD) return [];
      const contract = log.address.toLowerCase();
      const key = `${txid} ${contract} ${address}`;
      const position = counts.get(key) ?? 0;
      counts.set(key, position + 1);
      const sender = `0x${(log.topics[1] ?? '').slice(-40)}`;
      return [{ txid, contract, address, sender, position, value: BigInt(data), height, hash }];
    });
}

/** Whether the node has answered with an error that another request avoids: not that it limits requests, nor that it is away. */
function isAnswer(error: unknown): boolean {
  const cause = error instanceof BaseError ? error.walk((each) => each instanceof RpcRequestError) : null;
  return (
    cause instanceof RpcRequestError &&
    !/rate|per second|capacity|too many requests/i.test(`${cause.message} ${cause.details}`)
  );
}
