import type { ClosedReason } from '@fairtick/protocol';
import { serverNow } from '../../live/clock.ts';
import type { BoardRow } from '../../live/market.ts';
import type { MessageId } from '../../messages/text.ts';
import type { useText } from '../../messages/text-context.tsx';
import { formatOpening } from '../../state/format.ts';

const REASONS: Readonly<Record<Exclude<ClosedReason, 'hours'>, MessageId>> = {
  no_price: 'product.noPrice',
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

/** Why a product takes no orders now, as a sentence; null while it takes them. */
export function closedSentence(
  row: Pick<BoardRow, 'closedBecause' | 'opensAt'> | undefined,
  text: Pick<ReturnType<typeof useText>, 't' | 'tag'>,
): string | null {
  if (!row || row.closedBecause === null) return null;
  const why = closedText(row, text);
  if (row.closedBecause === 'no_price') return why;
  return [text.t('ticket.closed'), why].filter((part) => part !== null).join(' · ');
}
