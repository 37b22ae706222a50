import type { ErrorCode, ProductDetail } from '@fairtick/protocol';
import { MIN_DELAY_MS } from '@fairtick/trading';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { RefusedError } from '../../api/client.ts';
import { serverClock } from '../../api/server-clock.ts';
import { useStream } from '../../api/stream.ts';
import { faultText } from '../../api/tell-fault.ts';
import { serverNow, useSecond } from '../../live/clock.ts';
import { useRow } from '../../live/market.ts';
import type { Text } from '../../messages/text.ts';
import { formatPublic } from '../../state/format.ts';
import { useIsLoggedIn, useSession } from '../../state/session.ts';
import { useSettings } from '../../state/settings.ts';
import { keepWish, wishFor } from '../../state/wish.ts';
import { LoggedError } from './in-the-log.ts';
import { loadKeeping } from './keep-evidence.ts';
import type { OpenTicket } from './open-ticket.ts';
import { useOwnLeft, useProductState } from './own-state.ts';
import { isOnItsWay, openingTime, usePlacings } from './placings.ts';
import { cyclesFor, offeredMinutes, summarise, type TicketFault, type TicketForm } from './ticket-model.ts';
import { disarmIfChanged, tap } from './ticket-taps.ts';

/** How long the first tap counts. A reader of the terms has the time; who comes back later looks again. */
const ARMED_MS = 30_000;

/** Refusals that another amount would mend. */
const AMOUNTS: ReadonlySet<string> = new Set([
  'INVALID_AMOUNT',
  'AMOUNT_TOO_SMALL',
  'AMOUNT_TOO_LARGE',
  'BALANCE_TOO_LOW',
  'INSUFFICIENT_BALANCE',
  'EXPOSURE_LIMIT',
  'SHARE_LIMIT',
  'STAKE_LIMIT',
  'LOSS_LIMIT',
] satisfies ErrorCode[]);

export type ShownTicket = ReturnType<typeof useTicket>;

export function useTicket(ticket: OpenTicket, detail: ProductDetail | null) {
  const { symbol, form: filled, agreed, key, fault } = useStore(ticket);
  const placing = usePlacings((placings) => placings[key ?? '']);
  const isMember = useIsLoggedIn();
  const asset = useSettings((state) => state.asset);
  const userInfo = useSession((state) => (isMember ? state.userInfo : null));
  const available = userInfo?.balances.find((entry) => entry.asset === asset)?.available ?? null;
  const cycles = cyclesFor(detail, asset);
  const form: TicketForm = { ...filled, minutes: offeredMinutes(cycles, filled.minutes) };
  const isStale = useStream((state) => state.isStale);
  const row = useRow(symbol);
  const state = useProductState(symbol);
  const own = useOwnLeft();
  const delayMs = detail?.delayMs ?? MIN_DELAY_MS;
  useSecond();
  const facts = {
    ...{ form, detail, asset, available, isStale },
    nowMs: serverNow(),
    opensAtMs: openingTime(delayMs),
    isClosed: state !== null || (row === undefined && detail?.isOpen === false),
    ownLeft: own?.left ?? null,
  };
  const summary = summarise(facts);
  const { amount } = summary;
  const placement =
    summary.isComplete && amount !== null && isMember ? { symbol, ...form, amount, asset } : null;
  const shown = { price: row?.price ?? null, payoutRate: summary.payoutRate };
  const offer = { placement, shown, delayMs };
  const step = agreed ? 'armed' : isOnItsWay(placing?.state) ? placing.state : 'ready';
  const button = useDisarming(ticket, step === 'armed');
  const order = JSON.stringify(offer);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `order` stands for the offer
  useEffect(() => disarmIfChanged(ticket, offer), [ticket, order]);
  useEffect(() => {
    // A column is open before it is wished for.
    const wish = isMember ? wishFor(symbol) : null;
    if (wish) ticket.setState({ form: wish, agreed: null, key: null, fault: null });
    keepWish(isMember ? null : { symbol, form: filled });
  }, [ticket, isMember, symbol, filled]);
  useEffect(loadKeeping, []);
  return {
    ...{
      symbol,
      asset,
      form,
      detail,
      cycles,
      available,
      isMember,
      summary,
      step,
      fault,
      placing,
      row,
      button,
    },
    state,
    isClosed: facts.isClosed,
    /** Until the opening of an order that is sent now. */
    waitMs: delayMs + serverClock.marginMs,
    isEnabled: placement !== null || step === 'unknown',
    tap: () => tap(ticket, offer),
    change: (changed: Partial<TicketForm>) =>
      ticket.setState({ form: { ...filled, ...changed }, key: null, fault: null }),
  };
}

/** Disarms by a tap elsewhere, by Escape, or after 30 s. */
function useDisarming(ticket: OpenTicket, isArmed: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isArmed) return;
    const disarm = () => ticket.setState({ agreed: null });
    const timer = setTimeout(disarm, ARMED_MS);
    const done = new AbortController();
    const listen = (kind: 'pointerdown' | 'keydown', isMeant: (event: Event) => boolean) =>
      document.addEventListener(kind, (event) => isMeant(event) && disarm(), { signal: done.signal });
    listen('pointerdown', ({ target }) => !button.current?.contains(target as Node));
    listen('keydown', (event) => (event as KeyboardEvent).key === 'Escape');
    return () => {
      clearTimeout(timer);
      done.abort();
    };
  }, [ticket, isArmed]);
  return button;
}

/** Why the order can't be placed, or was not; `isAmounts`: whether another amount would do. */
export function faultOf(
  { step, placing, fault, summary, asset }: Omit<ShownTicket, 'tap' | 'change'>,
  { t }: Pick<Text, 't'>,
): { readonly text: string | null; readonly isAmounts: boolean } {
  const other = (text: string | null) => ({ text, isAmounts: false });
  if (step === 'unknown') return other(t('ticket.unknown'));
  if (placing?.state === 'refused') {
    const { error } = placing;
    if (error instanceof LoggedError) return other(t('ticket.refusedButLogged'));
    return { text: faultText(error, t), isAmounts: error instanceof RefusedError && AMOUNTS.has(error.code) };
  }
  if (fault) return other(ownText(fault, { asset, t }));
  // While an order is sent its stake may be held already, so the balance says nothing about the amount.
  if (step === 'sending' || !summary.fault) return other(null);
  return { text: ownText(summary.fault, { asset, t }), isAmounts: summary.isAmountAtFault };
}

function ownText(
  { id, bound, count = 0, values }: TicketFault,
  { asset, t }: { asset: string } & Pick<Text, 't'>,
): string {
  const words = { asset, count, bound: bound ? `${formatPublic(bound)} ${asset}` : '' };
  return t(id, { ...values, ...words });
}
