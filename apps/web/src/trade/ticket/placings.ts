import type { Order } from '@fairtick/protocol';
import { fixFrom, LOGGED_BEFORE_MS, MIN_DELAY_MS, PLACEMENT_REFUSALS } from '@fairtick/trading';
import { newKey, newNonce } from '@fairtick/ui/keys';
import { create } from 'zustand';
import { askTime } from '../../api/ask-time.ts';
import { NetworkError, post, RefusedError } from '../../api/client.ts';
import { serverClock } from '../../api/server-clock.ts';
import { seenLog, serverNow } from '../../live/clock.ts';
import { takeOrder } from '../../live/orders.ts';
import { refreshUserInfo } from '../../live/user-info.ts';
import { textNow } from '../../messages/text.ts';
import type { Asked } from '../../orders/receipt-check/asked.ts';
import { customerNow } from '../../state/session.ts';
import { onSessionEnd } from '../../state/session-lifecycle.ts';
import { readOwnEntries, storeOwnEntry } from '../../state/storage.ts';
import { useToast } from '../../state/toast.ts';
import { demandAbsent, LoggedError } from './in-the-log.ts';
import { keepPlaced } from './keep-evidence.ts';

/** The order confirmed by the second tap. */
export type Placement = Omit<Asked, 'opensAt' | 'nonce'>;

/** The fields of an order's request. The server accepts it at least D before it opens, or never. */
export interface SentOrder extends Asked {
  readonly seenSize: number;
  readonly seenRoot: string;
}

type State =
  | { readonly state: 'sending' | 'unknown' }
  | { readonly state: 'placed'; readonly order: Order }
  | { readonly state: 'refused'; readonly error: unknown };

/** An order on its way. Every request for it has the same key and fields, so it is placed once at most. */
type Placing = State & {
  readonly key: string;
  /** Null until the server's time and the log are known. */
  readonly fields: SentOrder | null;
};
type Sent = Placing & { readonly fields: SentOrder };

/**
 * The orders on their way, by key:
 *
 *     sending ── an order ─────────────────────────────────────────> placed
 *        │ ───── a refusal that tells ─────────────────────────────> refused
 *        └────── no answer, or a refusal that does not tell ───────> unknown
 *     unknown ── a tap on "Check again" ───────────────────────────> sending
 *        └────── asked at a start or a new connection ─────────────> placed, refused, or still unknown
 *
 * An order that was sent is also stored on the device while it is `sending` or `unknown`; a reload and the customer's other tabs read it
 * there, as `unknown`. A ticket knows its order by the key, in whatever layout it is shown.
 */
export const usePlacings = create<Readonly<Record<string, Placing>>>()(() => ({}));
onSessionEnd(() => usePlacings.setState({}, true));

const TRIES = 3;
const PAUSE_MS = 800;
/**
 * How long after an order's deadline, which is D before it opens, it is asked for: the server's clock then refuses an order that it never
 * received.
 */
const AFTER_DEADLINE_MS = 1_000;
/** Orders of a customer that may be without an outcome at once. None is forgotten for a new one, which is not sent instead. */
const MOST = 20;

/** Refusals of the judgement itself. The server looks a key up before it judges; other refusals come before that and do not tell. */
const FINAL: ReadonlySet<string> = new Set(PLACEMENT_REFUSALS);

/** Refusals that the user info states beforehand. */
const CLOSED: ReadonlySet<string> = new Set(['ON_BREAK', 'SELF_EXCLUDED', 'ORDERS_FROZEN']);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Changes an order on its way. One that the end of a session has removed stays away. */
function change(key: string, changed: State & Partial<Pick<Placing, 'fields'>>): void {
  const placing = usePlacings.getState()[key];
  if (!placing) return;
  const { fields, state } = { ...placing, ...changed };
  usePlacings.setState({ [key]: { ...placing, ...changed } });
  if (state === 'sending') store(key, fields);
  // A contradiction is shown again until its reader closes it.
  else if (state !== 'unknown' && !isContradiction(changed)) store(key, null);
}

const isContradiction = (of: State) => of.state === 'refused' && of.error instanceof LoggedError;

function store(key: string, fields: SentOrder | null): void {
  const customer = customerNow();
  if (customer !== null)
    storeOwnEntry('pendingOrder', customer, key, fields && JSON.stringify({ key, fields }));
}

export const forgetStored = (key: string): void => store(key, null);

function readPending(): Sent[] {
  const customer = customerNow();
  if (customer === null) return [];
  return readOwnEntries('pendingOrder', customer).flatMap((text) => {
    try {
      const { key, fields } = JSON.parse(text) as Sent;
      const isOne = typeof fields.opensAt === 'number' && typeof fields.seenSize === 'number';
      return isOne ? [{ key, fields, state: 'unknown' }] : [];
    } catch {
      return [];
    }
  });
}

export const mayPlace = (): boolean => readPending().length < MOST;

/**
 * Places an order, which is on its way at once.
 * @param delayMs D of the product
 * @returns its key
 */
export function place(placement: Placement, delayMs: number): string {
  const key = newKey();
  const others = Object.values(usePlacings.getState()).filter(({ state }) => isOnItsWay(state));
  const placing: Placing = { key, fields: null, state: 'sending' };
  usePlacings.setState(Object.fromEntries([...others, placing].map((one) => [one.key, one])), true);
  void prepare(placement, delayMs).then(
    (fields) => {
      change(key, { state: 'sending', fields });
      return ask(key, { isNew: true });
    },
    (error) => change(key, { state: 'refused', error }),
  );
  return key;
}

export const isOnItsWay = (state: Placing['state'] | undefined): state is 'sending' | 'unknown' =>
  state === 'sending' || state === 'unknown';

export function askAgain(key: string): void {
  change(key, { state: 'sending' });
  void ask(key, { isNew: false });
}

/** When an order opens that is sent now: the first whole second D after the latest time at which it may be accepted. */
export const openingTime = (delayMs: number): number => fixFrom(serverNow() + serverClock.marginMs + delayMs);

/** Names the opening time and the log that the customer has seen. */
async function prepare(placement: Placement, delayMs: number): Promise<SentOrder> {
  // Without the server's time no opening can be named.
  if (serverClock.errorMs === null) await askTime();
  const { size, root } = await seenLog();
  const opensAt = openingTime(delayMs);
  return { ...placement, opensAt, nonce: newNonce(), seenSize: size, seenRoot: root };
}

interface HowAsked {
  /** Whether it was never sent before. */
  readonly isNew: boolean;
  readonly isSilent?: boolean;
}

const asking = new Map<string, Promise<void>>();

/** Asks for the outcome of an order, once at a time, and takes it. */
function ask(key: string, how: HowAsked): Promise<void> {
  const placing = usePlacings.getState()[key];
  if (!placing?.fields) return Promise.resolve();
  const answer =
    asking.get(key) ??
    outcomeOf(placing as Sent, how)
      .then((state) => take(key, state))
      .finally(() => asking.delete(key));
  asking.set(key, answer);
  return answer;
}

function take(key: string, state: State): void {
  const placing = usePlacings.getState()[key];
  if (!placing?.fields) return;
  change(key, state);
  if (state.state === 'placed') {
    serverClock.narrow();
    takeOrder(state.order);
    // One that was asked for at a start or a new connection is told with others.
    if (placing.state === 'sending') useToast.getState().show(textNow().t('shell.submitted'));
    void keepPlaced(state.order, placing.fields);
  }
  // A break or freeze that this device does not know: after the refetch the ticket shows it beforehand.
  if (state.state === 'refused' && state.error instanceof RefusedError && CLOSED.has(state.error.code))
    void refreshUserInfo();
}

/**
 * Sends an order until an answer tells its outcome. The first answer tells it if it comes before the order could open. After a lost answer
 * only an order tells, or a refusal of the order itself that was asked for after the deadline, once the public log has been read up to the
 * order's opening time.
 */
async function outcomeOf(sent: Sent, { isNew, isSilent = false }: HowAsked): Promise<State> {
  const { fields } = sent;
  for (const isAgain of [false, true]) {
    const isPast = isAgain || untilDeadlineMs(fields) <= 0;
    const { answer, isLost } = await request(sent, isSilent);
    if (answer === null) break;
    if (!(answer instanceof RefusedError)) return { state: 'placed', order: answer };
    if (answer.code === 'NOT_READY') break;
    if (answer.code === 'LATE' && !isPast) serverClock.widen();
    const isEarly = serverNow() <= fields.opensAt - LOGGED_BEFORE_MS;
    const isTold = isNew && !isAgain && !isLost && isEarly;
    if (isTold || (isPast && FINAL.has(answer.code))) return refusedBy(sent, { error: answer, isTold });
    if (!isAgain) await pause(Math.max(PAUSE_MS, untilDeadlineMs(fields)));
  }
  return { state: 'unknown' };
}

/**
 * Sends an order's request, up to three times while there is no answer. Its round trip counts for the next order's opening time.
 * @returns the answer, and whether one was lost before it; null: none came
 */
async function request(
  { key, fields }: Sent,
  isSilent: boolean,
): Promise<{ readonly answer: Order | RefusedError | null; readonly isLost: boolean }> {
  for (let tries = 1; ; tries += 1) {
    const sentMs = performance.now();
    try {
      const answer = await post('order/create', { ...fields }, { idempotencyKey: key, isSilent }).finally(
        () => serverClock.takeTrip(performance.now() - sentMs),
      );
      return { answer, isLost: tries > 1 };
    } catch (error) {
      if (error instanceof RefusedError) return { answer: error, isLost: tries > 1 };
      if (tries === TRIES || !(error instanceof NetworkError)) return { answer: null, isLost: true };
      await pause(PAUSE_MS);
    }
  }
}

/** The log is read for an order that was refused; it is waited for where the refusal alone does not tell. */
async function refusedBy(sent: Sent, told: { error: RefusedError; isTold: boolean }): Promise<State> {
  const { error, isTold } = told;
  const read = FINAL.has(error.code) ? demandAbsent(sent, error) : Promise.resolve();
  const refused = { state: 'refused', error } as const;
  const isAbsent = read.then(
    () => refused,
    (fault: unknown): State =>
      fault instanceof LoggedError ? { ...refused, error: fault } : { state: 'unknown' },
  );
  return isTold ? refused : isAbsent;
}

const untilDeadlineMs = ({ opensAt }: SentOrder): number =>
  opensAt - MIN_DELAY_MS + AFTER_DEADLINE_MS - serverNow();

/** The orders whose outcome is unknown: of this page, and stored by others of the customer's. */
function unknownNow(): { readonly own: readonly Sent[]; readonly others: readonly Sent[] } {
  const here = usePlacings.getState();
  const own = Object.values(here).filter(({ state }) => isOnItsWay(state)) as Sent[];
  return { own, others: readPending().filter(({ key }) => !here[key]) };
}

export const isAnyUnknown = (): boolean => Object.values(unknownNow()).flat().length > 0;

/**
 * Asks for each order whose outcome is unknown, once its deadline has passed.
 * @returns them with what is known now, the earliest first; those that another tab has told meanwhile are left out
 */
export async function findUnknown(): Promise<readonly Sent[]> {
  const { own, others } = unknownNow();
  const asked = [...own.filter(({ state }) => state === 'unknown'), ...others];
  const found = await Promise.all(
    asked.map(async (placing): Promise<Placing[]> => {
      const { key } = placing;
      await pause(untilDeadlineMs(placing.fields));
      const isOthers = !usePlacings.getState()[key];
      if (isOthers && !readPending().some((stored) => stored.key === key)) return [];
      if (isOthers) usePlacings.setState({ [key]: placing });
      await ask(key, { isNew: false, isSilent: true });
      const { [key]: now, ...rest } = usePlacings.getState();
      if (isOthers && now?.state === 'unknown') usePlacings.setState(rest, true);
      return now ? [now] : [];
    }),
  );
  return (found.flat() as Sent[]).sort((a, b) => a.fields.opensAt - b.fields.opensAt);
}
