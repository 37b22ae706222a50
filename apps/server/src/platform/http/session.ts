export interface Session {
  readonly customerId: string;
  readonly tokenHash: Buffer;
  /** Whether money may move: used without a pause of an hour since the last proof. */
  readonly isFresh: boolean;
  /** Whether credentials may change and withdrawals be sent: the last proof is at most five minutes old. */
  readonly isProved: boolean;
  /** The end unless it is used again, in Unix milliseconds of the database. */
  readonly endsMs: number;
}

export interface Caller {
  readonly userAgent: string;
  readonly address: string | null;
  /** The customer who last logged in with this browser, by its mark; absent or null: nobody. */
  readonly device?: string | null;
}
