import { useAnswer } from '../../api/use-answer.ts';
import { serverNow, useSecond } from '../../live/clock.ts';
import { useRow } from '../../live/market.ts';
import { useOnOrder } from '../../live/orders.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatMoment } from '../../state/format.ts';
import { closedForOrders, useIsLoggedIn, useSession } from '../../state/session.ts';
import { useSettings } from '../../state/settings.ts';
import { type ShownState, useClosed, type WayOn } from '../market/product-state.tsx';
import { ownLeft, pauseFault } from './ticket-model.ts';

const OWN_LIMITS: WayOn = ['/limits', 'title.limits'];

/** Why the customer can place no order for a product in the chosen asset: the customer's own break or limit, or the product's state. */
export function useProductState(symbol: string): ShownState | null {
  const { t, tag } = useText();
  const closed = useClosed(useRow(symbol));
  const isMember = useIsLoggedIn();
  const pause = useSession((state) => (isMember ? closedForOrders(state) : null));
  useSecond();
  const left = useOwnLeft();
  const own = (line: string, wayOn: WayOn): ShownState => ({ mark: line, below: null, line, wayOn });
  const rest = pauseFault(pause, serverNow());
  if (rest) {
    const time = rest.untilMs === undefined ? '' : formatMoment(rest.untilMs, tag);
    return own(t(rest.id, { time }), rest.id === 'ticket.frozen' ? ['/chat', 'title.chat'] : OWN_LIMITS);
  }
  if (closed === null && left !== null && Number(left.left) <= 0)
    return own(
      t(left.kind === 'stake' ? 'state.stakeLimit' : 'state.lossLimit', {
        time: formatMoment(left.resetsAt, tag),
      }),
      OWN_LIMITS,
    );
  return closed;
}

/** The tightest of the customer's own limits in the chosen asset; null without one or while it is unknown. */
export function useOwnLeft() {
  const isMember = useIsLoggedIn();
  const asset = useSettings((state) => state.asset);
  const { data, refetch } = useAnswer('protection/state', {}, { enabled: isMember });
  useOnOrder(() => void (isMember && refetch()));
  return isMember && data ? ownLeft(data.limits, asset) : null;
}
