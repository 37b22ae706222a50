import { askTime } from '../../api/ask-time.ts';
import { shake } from '../../state/haptics.ts';
import type { OpenTicket } from './open-ticket.ts';
import { askAgain, mayPlace, type Placement, place, usePlacings } from './placings.ts';
import { movedFault, type ShownTerms, type TicketFault } from './ticket-model.ts';

interface Offer {
  /** Null while the order is incomplete or not possible. */
  readonly placement: Placement | null;
  readonly shown: ShownTerms;
  /** D of the product. */
  readonly delayMs: number;
}

/**
 * A tap on the button: the first arms, the second sends. While an order's outcome is unknown, a tap asks for it again, and no other order
 * is sent.
 */
export function tap(ticket: OpenTicket, { placement, shown, delayMs }: Offer): void {
  const { key, agreed } = ticket.getState();
  const state = usePlacings.getState()[key ?? '']?.state;
  if (key !== null && state === 'unknown') askAgain(key);
  else if (state === 'sending' || !placement) return;
  else if (agreed === null) {
    // Measures the line before the order takes it, and opens the connection. Earlier measurements count without an answer.
    askTime().catch(() => {});
    shake('arm');
    ticket.setState({ agreed: { ...shown, order: JSON.stringify(placement) }, key: null, fault: null });
  } else {
    const fault: TicketFault | null = mayPlace() ? null : { id: 'ticket.manyUnknown' };
    if (fault === null) shake('confirm');
    ticket.setState({ agreed: null, fault, key: fault ? null : place(placement, delayMs) });
  }
}

/** Disarms a ticket that is no longer what the first tap agreed to: other fields, another payout rate, or a price that has moved. */
export function disarmIfChanged(ticket: OpenTicket, { placement, shown }: Offer): void {
  const { agreed } = ticket.getState();
  if (agreed === null) return;
  if (JSON.stringify(placement) !== agreed.order) ticket.setState({ agreed: null });
  else {
    const fault = movedFault(agreed, shown);
    if (fault) ticket.setState({ agreed: null, fault });
  }
}
