import { KEYS, Log, type Outcome, type Shown } from '../house.ts';
import { type Choices, END, honest, type Story, tell } from '../story.ts';
import { type Verdict, verify } from '../verify.ts';

/** Frauds that a receipt shows by itself, by the check that refuses them. */
const textOf = (story: Story, shown: Partial<Shown> = {}, outcome: Partial<Outcome> = {}): string => {
  const told = honest(story);
  const receipt = new Log(story.entries, END).receipt(
    story.order,
    { ...told.shown, ...shown },
    { ...told.outcome, ...outcome },
  );
  return JSON.stringify(receipt);
};
export const judge = (...told: Parameters<typeof textOf>): Verdict => verify(textOf(...told), KEYS);
export const said = (verdict: Verdict): string =>
  verdict.valid
    ? `valid: ${verdict.outcome.result} ${verdict.outcome.voidReason}`
    : `${verdict.refusedBy}: ${verdict.why}`;
export const checkOf = (verdict: Verdict): string => (verdict.valid ? said(verdict) : verdict.refusedBy);

export const LOSS = { result: 'loss', payout: '0.00', voidReason: null };
/** The place of the entry of a kind at this time. */
export const placeOf = ({ entries }: Story, timeMs: number, kind = 'tick'): number =>
  entries.findIndex((text) => text.startsWith(`${kind}|`) && text.split('|')[4] === String(timeMs));
export const placesOf = (story: Story, ...timesMs: readonly number[]): number[] =>
  timesMs.map((timeMs) => placeOf(story, timeMs));
/** No entry at these times. */
export const silentAt = (...timesMs: readonly number[]): Choices => ({
  at: (timeMs, _n, tick) => (timesMs.includes(timeMs) ? null : tick),
});

export interface Fraud {
  readonly choices?: Choices;
  /** Places of what the house shows in the place of what it should. */
  readonly shown?: (story: Story) => Partial<Shown>;
  readonly outcome?: (story: Story) => Partial<Outcome>;
}
/** The receipt of a fraud, as text. */
export const commit = ({ choices, shown, outcome }: Fraud): string => {
  const story = tell(choices);
  return textOf(story, shown?.(story), outcome?.(story));
};

/** The honest tick of a time with one of its parts exchanged. */
export const editedAt = (when: number, edit: (tick: string) => string): Choices => ({
  at: (timeMs, _n, tick) => (timeMs === when ? edit(tick) : tick),
});
export const field = (place: number, value: string) => (text: string) =>
  text.split('|').with(place, value).join('|');
export const quotes = (edit: (quotes: string[]) => string[]) => (text: string) =>
  field(7, edit((text.split('|')[7] as string).split(';')).join(';'))(text);
export const part = (quote: number, place: number, change: (old: string) => string) =>
  quotes((all) =>
    all.with(
      quote,
      (all[quote] as string)
        .split(',')
        .map((old, at) => (at === place ? change(old) : old))
        .join(),
    ),
  );
export const priceOf = (story: Story, timeMs: number): string =>
  (story.entries[placeOf(story, timeMs)] as string).split('|')[5] as string;

/** Another symbol. */
export const OTHER = 'GBP/USD';
