import { useStream } from '../../api/stream.ts';
import { takeOrder } from '../../live/orders.ts';
import type { MessageId, Text } from '../../messages/text.ts';
import { formatAmount } from '../../state/format.ts';
import { useToast } from '../../state/toast.ts';
import { keepPlaced } from './keep-evidence.ts';
import { type Found, findPending, isRefusedForGood, tellFound, toFind } from './pending-order.ts';

/** How long to wait after a request whose answer did not tell, as from a busy server. */
const AGAIN_MS = 10_000;

/** Keys of the orders that were told to stand in the log, without an answer. */
const toldLogged = new Set<string>();

/**
 * Asks for the outcome of every order that was sent and has none, now and whenever the connection returns, and tells it. Called once.
 * @param text the texts of the language that is shown
 */
export function followPending(text: () => Text): void {
  let isAsking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    clearTimeout(timer);
    tell(await findPending(), text().t);
    isAsking = false;
    if (toFind().length > 0 && useStream.getState().isLive) timer = setTimeout(ask, AGAIN_MS);
  };
  useStream.subscribe((now, before) => {
    if (now.isLive && !before.isLive) void ask();
  });
  void ask();
}

/** Shows all outcomes in a single message, because a second message would take the first one's place. */
function tell(found: readonly Found[], t: Text['t']): void {
  for (const one of found) {
    const { order, pending } = one;
    if (order) takeOrder(order);
    if (order || one.refusal) tellFound(one);
    if (order) void keepPlaced({ order, sent: pending.fields }, t);
  }
  const say = (id: MessageId, ones: readonly Found[]) =>
    ones.length === 0
      ? []
      : [t(id, { orders: ones.map(({ pending }) => nameOf(pending.fields)).join(', ') })];
  const placed = say(
    'ticket.foundAgain',
    found.filter(({ order }) => order !== null),
  );
  const notPlaced = say(
    'ticket.notPlaced',
    found.filter(({ order, refusal }) => order === null && isRefusedForGood(refusal)),
  );
  const logged = found.filter(
    ({ order, pending, refusal }) => order === null && refusal === null && !toldLogged.has(pending.key),
  );
  for (const { pending } of logged) toldLogged.add(pending.key);
  const words = [...placed, ...notPlaced, ...say('ticket.inLog', logged)].join(' · ');
  if (words !== '') useToast.getState().show(words);
}

const nameOf = ({ symbol, amount, asset }: Found['pending']['fields']) =>
  `${symbol} ${formatAmount(amount)} ${asset}`;
