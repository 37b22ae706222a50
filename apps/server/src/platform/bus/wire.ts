import type { Queryable } from '../db/database.ts';
import type { Channel } from './channels.ts';

/** Says that something on a channel has changed. Whoever hears it reads the database. */
export interface Notice {
  readonly channel: Channel;
  /** In the form of the channel; several are parted by {@link SEPARATOR}. */
  readonly payload: string;
}

export const SEPARATOR = '\u001e';
/** Bytes of a notice: NOTIFY takes less than 8 000. */
const MOST_BYTES = 7_900;

/** Carries notices between processes. */
export interface Wire {
  /** @param db the sender's connection; within a transaction the notices leave with its commit, or before it */
  send(db: Queryable, notices: readonly Notice[]): Promise<void>;
  /** Called at once after `send`. @throws if what was sent may not have left */
  confirm(): Promise<void>;
  /**
   * Resolves once it hears these channels.
   * @param missed called after every (re)connection: any notice may have been missed
   */
  hear(channels: readonly Channel[], take: (notice: Notice) => void, missed: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** Joins the notices of each channel into few; equal ones are one. */
export function pack(notices: readonly Notice[]): Notice[] {
  const packed: Notice[] = [];
  for (const [channel, payloads] of Map.groupBy(notices, (notice) => notice.channel)) {
    let joined = '';
    for (const { payload } of new Map(payloads.map((one) => [one.payload, one])).values()) {
      const longer = joined === '' ? payload : joined + SEPARATOR + payload;
      if (joined !== '' && Buffer.byteLength(longer) > MOST_BYTES) {
        packed.push({ channel, payload: joined });
        joined = payload;
      } else joined = longer;
    }
    packed.push({ channel, payload: joined });
  }
  return packed;
}
