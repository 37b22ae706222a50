import type { ClosedReason } from '@fairtick/protocol';
import { closedIn, closedText } from '@fairtick/protocol/product-state';
import { ProductState } from '@fairtick/ui';
import { serverNow } from '../../live/clock.ts';
import type { BoardRow } from '../../live/market.ts';
import type { MessageId } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import { formatOpening, formatSince } from '../../state/format.ts';
import { useSettings } from '../../state/settings.ts';

/** Where a customer who is stopped can go on. */
export type WayOn = readonly [path: string, name: MessageId];
const OTHERS: WayOn = ['/product', 'state.others'];
const WAYS_ON: Readonly<Record<ClosedReason, WayOn>> = {
  hours: OTHERS,
  halt: ['/transparency', 'state.halts'],
  disagreement: OTHERS,
  no_price: OTHERS,
  maintenance: ['/news', 'title.news'],
  full: OTHERS,
  ended: OTHERS,
  no_source: OTHERS,
  no_licence: OTHERS,
};

export interface ShownState {
  readonly mark: string;
  readonly below: string | null;
  readonly line: string;
  readonly wayOn: WayOn;
}

/** Why a product takes no orders in the chosen asset, for everybody; null while it takes them. */
export function useClosed(row: BoardRow | undefined): ShownState | null {
  const { language, tag } = useText();
  const asset = useSettings((state) => state.asset);
  const closed = closedIn(row?.closed ?? null, asset);
  if (closed === null) return null;
  const times = {
    since: (ms: number) => formatSince(ms, tag),
    opening: (ms: number) => formatOpening(ms, serverNow(), tag),
  };
  return { ...closedText(closed, language, times), wayOn: WAYS_ON[closed.because] };
}

/** The line above the buttons of an order: why they are inactive, and what to do. */
export function StateLine({ state }: { state: ShownState | null }) {
  const { t } = useText();
  if (state === null) return null;
  const [path, name] = state.wayOn;
  return (
    <ProductState state={state} look="line">
      <Link href={path} className="link reach nowrap">
        {t(name)}
      </Link>
    </ProductState>
  );
}
