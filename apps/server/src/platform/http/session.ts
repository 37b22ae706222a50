/** A login; it identifies the caller. */
export interface Session {
  readonly customerId: string;
  readonly tokenHash: Buffer;
  /** Whether orders and earnings may move money without the password being given again. */
  readonly isFresh: boolean;
  /**
   * Whether credentials and destinations may change and withdrawals be sent: a proof was given within the last five
   * minutes.
   */
  readonly isProved: boolean;
}

export interface Caller {
  readonly userAgent: string;
  readonly address: string | null;
  /** The mark that the browser was given at an earlier login; absent: none. */
  readonly device?: string | undefined;
}
