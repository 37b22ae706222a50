import type { MessageId, MessageValues, Text } from '../../messages/text.ts';

/** The fault of a field: a message id with its values. The server checks the same and decides. */
export interface Fault {
  readonly id: MessageId;
  readonly values?: MessageValues;
}
export type Faults<F extends string> = Partial<Record<F, Fault>>;

export const faultWords = (fault: Fault | undefined, t: Text['t']): string | null =>
  fault ? t(fault.id, fault.values) : null;
