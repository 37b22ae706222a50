export interface Block {
  readonly height: number;
  readonly hash: string;
}

/** A payment to one of the watched addresses. */
export interface Payment {
  readonly txid: string;
  /** Of the token, as CHAINS_FILE writes it if it is named there; empty for the chain's own coin. */
  readonly contract: string;
  readonly address: string;
  /** Absent: it has no single sender. */
  readonly sender?: string;
  /** The place among the transaction's payments of this token to this address; of a chain's own coin among all of its outputs. */
  readonly position: number;
  readonly value: bigint;
  readonly height: number;
  readonly hash: string;
}

/** A transaction that a block has. */
export interface Receipt extends Block {
  /** Whether the chain has carried it out, and not undone it. */
  readonly isDone: boolean;
  readonly transfers: readonly {
    readonly contract: string;
    readonly from: string;
    readonly to: string;
    readonly value: bigint;
  }[];
}

/** A node that takes signed transactions. Every call may fail, and is made again later. */
export interface PayoutNode extends Pick<ChainSource, 'demandChain' | 'head' | 'hashAt'> {
  /** How many transactions of an address the blocks up to this one have: the number of its next one. */
  nonceAt(address: string, height: number): Promise<number>;
  /** Null: no block has it. */
  receipt(txid: string): Promise<Receipt | null>;
  /** Whether the node has a transaction, in a block or waiting. */
  knows(txid: string): Promise<boolean>;
  /** @throws Error when the node does not take it */
  send(raw: string): Promise<void>;
}

/** A node of a chain. Every call may fail, and is made again later. */
export interface ChainSource {
  /** @throws Error unless the node is of this chain */
  demandChain(): Promise<void>;
  head(): Promise<Block>;
  /** The newest block that no reorganisation replaces; null: there is none yet. */
  final(): Promise<Block | null>;
  /** Null: the node has no such block. */
  hashAt(height: number): Promise<string | null>;
  /** Called before `payments` where the node itself has to know the addresses: those up to a number, in blocks above a height. */
  watch?(number: number, height: number): Promise<void>;
  /** Payments in the blocks from `from` to `to`, both included, as the chain counts their value. */
  payments(from: number, to: number, addresses: readonly string[]): Promise<Payment[]>;
  /** The balance of a token at an address and a block; null where the node can't tell. */
  holding(contract: string, address: string, height: number): Promise<bigint | null>;
}
