import { useLayer } from '@fairtick/ui/layers';
import { useCallback, useEffect, useState } from 'react';
import { createStore, type StoreApi } from 'zustand';
import { useSettings } from '../../state/settings.ts';
import { wishedDirection, wishFor } from '../../state/wish.ts';
import type { ShownTerms, TicketFault, TicketForm } from './ticket-model.ts';

/** The state of an open ticket, whatever layout shows it: a phone may be turned meanwhile. */
interface TicketState {
  readonly symbol: string;
  readonly form: TicketForm;
  /** What the ticket showed at the first tap; null until then. */
  readonly agreed: (ShownTerms & { readonly order: string }) | null;
  /** The key of the order that it sent last; null: none, or its outcome has been seen. */
  readonly key: string | null;
  readonly fault: TicketFault | null;
}
export type OpenTicket = StoreApi<TicketState>;

/**
 * A ticket with the fields that are wished for (`state/wish.ts`), else with those of the last order. In a column, which is always open, an
 * amount that is already there would ask for an order.
 * @param direction of a sheet; null: a column
 */
export function openTicket(symbol: string, direction: TicketForm['direction'] | null): OpenTicket {
  const { minutes, stakes, asset } = useSettings.getState();
  const wish = wishFor(symbol);
  const amount = direction === null ? '' : (stakes[asset] ?? '');
  const form = { minutes, amount, ...wish, direction: direction ?? wish?.direction ?? 'up' };
  return createStore<TicketState>(() => ({ symbol, form, agreed: null, key: null, fault: null }));
}

function wishedTicket(symbol: string): OpenTicket | null {
  const direction = wishedDirection(symbol);
  return direction && openTicket(symbol, direction);
}

export type Entry = ReturnType<typeof useEntry>;

/** A ticket that is opened on demand; the way back closes it. */
export function useEntry(symbol: string) {
  const [ticket, setTicket] = useState(() => wishedTicket(symbol));
  // When the screen is shown again, a ticket that is wished by now takes the place of the one that was open.
  useEffect(() => setTicket((open) => wishedTicket(symbol) ?? open), [symbol]);
  /** The button that last opened the ticket; it gets the focus back on closing. */
  const [taken, setTaken] = useState<TicketForm['direction'] | null>(null);
  const enter = (direction: TicketForm['direction']) => {
    setTaken(direction);
    setTicket(openTicket(symbol, direction));
  };
  const leave = useCallback(() => setTicket(null), []);
  useLayer(ticket !== null, leave);
  return { ticket, taken, enter, leave };
}
