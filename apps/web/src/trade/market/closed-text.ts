import type { ClosedReason } from '@fairtick/protocol';
import { serverNow } from '../../live/clock.ts';
import type { BoardRow } from '../../live/market.ts';
import type { MessageId } from '../../messages/text.ts';
import type { useText } from '../../messages/text-context.tsx';
import { formatOpening } from '../../state/format.ts';

const REASONS: Readonly<Record<Exclude<ClosedReason, 'hours'>, MessageId>> = {
  halt: 'trade.halted',
  ended: 'trade.ended',
  no_source: 'trade.noSource',
  no_licence: 'trade.noLicence',
};

/** Why a product is closed, or when it opens; null if neither is known. */
export function closedText(
  { closedBecause, opensAt }: Pick<BoardRow, 'closedBecause' | 'opensAt'>,
  { t, tag }: Pick<ReturnType<typeof useText>, 't' | 'tag'>,
): string | null {
  if (closedBecause !== null && closedBecause !== 'hours') return t(REASONS[closedBecause]);
  return opensAt === null ? null : t('trade.opensAt', { time: formatOpening(opensAt, serverNow(), tag) });
}

/** Whether an open market has no price: too few of its sources give one. */
export const lacksPrice = (row: Pick<BoardRow, 'isOpen' | 'price'> | undefined): boolean =>
  row?.isOpen === true && row.price === null;
