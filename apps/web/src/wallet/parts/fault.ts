import type { MessageId, MessageValues, Text } from '../../messages/text.ts';

/** What is wrong with a field, as a message and what stands in it. The server checks the same and has the last word. */
export interface Fault {
  readonly id: MessageId;
  readonly values?: MessageValues;
}
export type Faults<F extends string> = Partial<Record<F, Fault>>;

export const faultWords = (fault: Fault | undefined, t: Text['t']): string | null =>
  fault ? t(fault.id, fault.values) : null;
