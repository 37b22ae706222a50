import { KEYS, Log, type Outcome, type Shown } from '../house.ts';
import { type Choices, endOf, honest, type Story, tell } from '../story.ts';
import { type Verdict, verify } from '../verify.ts';

/** Frauds that a receipt shows by itself, by the check that refuses them. */
const textOf = (story: Story, shown: Partial<Shown> = {}, outcome: Partial<Outcome> = {}): string => {
  const told = honest(story);
  const receipt = new Log(story.entries, endOf(story)).receipt(
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
/** The place of the fix of a time, or of its close. */
export const placeOf = ({ entries }: Story, fixMs: number, kind = 'fix'): number =>
  entries.findIndex((text) => text.startsWith(`${kind}|`) && text.split('|')[5] === String(fixMs));
export const placesOf = (story: Story, ...times: readonly number[]): number[] =>
  times.map((fixMs) => placeOf(story, fixMs));
/** No tick at these times. */
export const silentAt = (...timesMs: readonly number[]): Choices => ({
  at: (timeMs, tick) => (timesMs.includes(timeMs) ? null : tick),
});
/** No fix of these times. */
export const unfixedAt = (...times: readonly number[]): Choices => ({
  fix: (fixMs, fix) => (times.includes(fixMs) ? null : fix),
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

/** The honest fix of a time with one of its parts exchanged. */
export const editedAt = (when: number, edit: (fix: string) => string): Choices => ({
  fix: (fixMs, fix) => (fixMs === when ? edit(fix) : fix),
});
export const field = (place: number, value: string) => (text: string) =>
  text.split('|').with(place, value).join('|');
export const parts = (edit: (parts: string[]) => string[]) => (text: string) =>
  field(8, edit((text.split('|')[8] as string).split(';')).join(';'))(text);
/** A value of a source's part exchanged; a place counts from the source's name. */
export const part = (source: number, place: number, change: (old: string) => string) =>
  parts((all) =>
    all.with(
      source,
      (all[source] as string)
        .split(',')
        .map((old, at) => (at === place ? change(old) : old))
        .join(),
    ),
  );
export const plus = (more: number) => (old: string) => String(Number(old) + more);
export const priceOf = (story: Story, fixMs: number, kind = 'fix'): string =>
  (story.entries[placeOf(story, fixMs, kind)] as string).split('|')[6] as string;

/** Another symbol. */
export const OTHER = 'GBP/USD';
