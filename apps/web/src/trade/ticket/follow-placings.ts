import { useStream } from '../../api/stream.ts';
import { type MessageId, textNow } from '../../messages/text.ts';
import { formatAmount } from '../../state/format.ts';
import { useToast } from '../../state/toast.ts';
import { isInTheOpen, LoggedError } from './in-the-log.ts';
import { findUnknown, isAnyUnknown, type SentOrder } from './placings.ts';

/** How long to wait after a request whose answer did not tell, as from a busy server. */
const AGAIN_MS = 10_000;

/** Keys of the orders that were told to stand in the log, without an answer. */
const toldLogged = new Set<string>();

/** Asks for the outcome of every order that was sent and has none, now and whenever the connection returns, and tells it. Called once. */
export function followPlacings(): void {
  let isAsking = false;
  /** Whether the connection has returned meanwhile. */
  let isAgain = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async () => {
    clearTimeout(timer);
    isAgain = isAsking;
    if (isAsking) return;
    isAsking = true;
    await findAndTell();
    isAsking = false;
    if (isAnyUnknown() && useStream.getState().isLive) timer = setTimeout(ask, isAgain ? 0 : AGAIN_MS);
  };
  useStream.subscribe((now, before) => {
    if (now.isLive && !before.isLive) void ask();
  });
  void ask();
}

/** Shows all outcomes in a single message, because a second message would take the first one's place. */
async function findAndTell(): Promise<void> {
  const told = new Map<MessageId, string[]>([
    ['ticket.foundAgain', []],
    ['ticket.notPlaced', []],
    ['ticket.inLog', []],
  ]);
  const found = (await findUnknown()).map(async (placing): Promise<[MessageId | null, SentOrder]> => {
    const { state, key, fields } = placing;
    if (state === 'placed') return ['ticket.foundAgain', fields];
    // That the log has an order that was refused is shown in a dialog.
    if (state === 'refused')
      return [placing.error instanceof LoggedError ? null : 'ticket.notPlaced', fields];
    if (toldLogged.has(key) || !(await isInTheOpen(placing))) return [null, fields];
    toldLogged.add(key);
    return ['ticket.inLog', fields];
  });
  for (const [id, { symbol, amount, asset }] of await Promise.all(found))
    if (id !== null) told.get(id)?.push(`${symbol} ${formatAmount(amount)} ${asset}`);
  const { t } = textNow();
  const words = [...told].flatMap(([id, names]) =>
    names.length > 0 ? t(id, { orders: names.join(', ') }) : [],
  );
  if (words.length > 0) useToast.getState().show(words.join(' · '));
}
