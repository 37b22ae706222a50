import { useEffect, useEffectEvent } from 'react';
import { useSettings } from '../../state/settings.ts';
import type { ShownTicket } from './use-ticket.ts';

/** The keys of a trading screen that has room for everything, in the order of their list. `?` shows the list. */
export const TICKET_KEYS = {
  '/': 'search',
  a: 'amount',
  u: 'up',
  d: 'down',
  '[': 'shorter',
  ']': 'longer',
  Enter: 'confirm',
} as const;
type Act = (typeof TICKET_KEYS)[keyof typeof TICKET_KEYS];

const TEXT_FIELD = 'textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])';
const AMOUNT = '#ticket-amount';

/** Whether a key belongs to what has the focus: a field takes letters, a link or a button takes Enter. An amount has no letters. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as Element;
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
    return true;
  if (document.querySelector('dialog[open]') !== null) return true;
  if (target.matches(AMOUNT)) return false;
  if (event.key === 'Enter') return target.matches(`a, button, summary, ${TEXT_FIELD}`);
  return target.closest(TEXT_FIELD) !== null;
}

/** The keys of a ticket that is always open. A held key does nothing twice. */
export function useTicketKeys(shown: ShownTicket, isOn: boolean): void {
  const isWanted = useSettings((state) => state.hasShortcuts) && isOn;
  const press = useEffectEvent((event: KeyboardEvent) => {
    const act = TICKET_KEYS[event.key as keyof typeof TICKET_KEYS] as Act | undefined;
    if (act === undefined || event.repeat || isTaken(event)) return;
    event.preventDefault();
    ACTS[act](shown);
  });
  useEffect(() => {
    if (!isWanted) return;
    const onKeyDown = (event: KeyboardEvent) => press(event);
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isWanted]);
}

const ACTS: Readonly<Record<Act, (shown: ShownTicket) => void>> = {
  search: () => focus('[data-view=product] [role=searchbox], [data-view=product] input[type=search]'),
  amount: () => focus(AMOUNT),
  up: (shown) => isOpen(shown) && shown.change({ direction: 'up' }),
  down: (shown) => isOpen(shown) && shown.change({ direction: 'down' }),
  shorter: (shown) => step(shown, -1),
  longer: (shown) => step(shown, 1),
  // The button has the focus for the second press, and takes it as it takes every press: late enough, and by no held key.
  confirm: ({ button }) => {
    button.current?.focus();
    button.current?.click();
  },
};

const isOpen = ({ step }: ShownTicket): boolean => step === 'ready' || step === 'armed';

function focus(selector: string): void {
  const field = document.querySelector<HTMLInputElement>(selector);
  field?.focus();
  field?.select();
}

function step(shown: ShownTicket, by: 1 | -1): void {
  const cycles = shown.cycles ?? [];
  const at = cycles.findIndex(({ minutes }) => minutes === shown.form.minutes);
  const next = cycles[at + by];
  if (!isOpen(shown) || at < 0 || !next) return;
  shown.change({ minutes: next.minutes });
  useSettings.getState().choose('minutes', next.minutes);
}
