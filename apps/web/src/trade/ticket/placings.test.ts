import { formatAcceptance, hashAsked, toHex } from '@fairtick/proof';
import { MIN_DELAY_MS } from '@fairtick/trading';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createText, setTextNow } from '../../messages/text.ts';
import { useSession } from '../../state/session.ts';
import { endSession } from '../../state/session-lifecycle.ts';
import { type OpenTicket, openTicket } from './open-ticket.ts';
import { findUnknown, type Placement, place, usePlacings } from './placings.ts';
import { disarmIfChanged, tap } from './ticket-taps.ts';

const WISH: Placement = { symbol: 'BTC/USDT', direction: 'up', minutes: 1, amount: '60', asset: 'DEMO' };
const ROOT = 'b'.repeat(64);

const realTurn = setImmediate;

interface Request {
  readonly key: string;
  readonly fields: Readonly<Record<string, string>>;
}
/** What becomes of the next request for an order; without one it is lost. */
let answers: ((request: Request) => object | 'lost' | Promise<object>)[];
let requests: Request[];
let stored: Record<string, string>;

const refusal = (error: string) => () => ({ code: 0, msg: error, error, data: null });

/** The server takes an order, and signs what was asked for. */
function taken({ fields }: Request): object {
  const [opensAt, minutes, amount] = [Number(fields.opensAt), Number(fields.minutes), '60.000000'];
  const { symbol = '', asset = '', nonce = '' } = fields;
  const terms = { symbol, direction: 'up', minutes, asset, opensAt, amount } as const;
  const text = formatAcceptance({
    ...terms,
    orderId: '7',
    batch: 1,
    asked: toHex(hashAsked({ ...terms, nonce })),
    payoutRate: '0.8000',
    rulesHash: 'a'.repeat(64),
    acceptedAt: opensAt - MIN_DELAY_MS,
    settlesAt: opensAt + 60_000,
    logSize: 10,
    logRoot: ROOT,
    seenSize: null,
    seenRoot: null,
  });
  const acceptance = { text, index: 0, size: 1, proof: [], signed: '' };
  return { code: 1, msg: '', data: { ...terms, id: '7', status: 'unsettled', openPrice: null, acceptance } };
}

/** The next answer comes when the returned function is called. */
function answerLater(): (answer: object) => void {
  let arrive: (answer: object) => void = () => {};
  const arrival = new Promise<object>((resolve) => {
    arrive = resolve;
  });
  answers = [() => arrival];
  return arrive;
}

async function serve(url: string, init: RequestInit): Promise<Response> {
  if (url.startsWith('/api/app/config')) return Response.json({ code: 1, data: { serverTime: Date.now() } });
  if (url.startsWith('/api/transparency/proof'))
    return Response.json({ code: 1, data: { size: 9, root: ROOT } });
  if (url !== '/api/order/create') throw new TypeError(`no answer from ${url}`);
  const request = {
    key: new Headers(init.headers).get('idempotency-key') ?? '',
    fields: Object.fromEntries(init.body as URLSearchParams),
  };
  requests.push(request);
  const answer = (await answers.shift()?.(request)) ?? 'lost';
  if (answer === 'lost') throw new TypeError('connection reset');
  return Response.json(answer);
}

const logIn = (id: string) =>
  useSession.setState({ token: `token ${id}`, userInfo: { id, balances: [] } as never });

beforeEach(() => {
  vi.useFakeTimers();
  [answers, requests, stored] = [[], [], {}];
  vi.stubGlobal('document', {});
  vi.stubGlobal('location', { pathname: '/product' });
  const storage = {
    getItem: (name: string) => stored[name] ?? null,
    setItem: (name: string, value: string) => Object.assign(stored, { [name]: value }),
    removeItem: (name: string) => delete stored[name],
  };
  // The names of what is stored are its own keys.
  vi.stubGlobal(
    'localStorage',
    new Proxy(storage, {
      ownKeys: () => Object.keys(stored),
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    }),
  );
  vi.stubGlobal('fetch', serve);
  setTextNow(createText('en', { 'shell.submitted': 'Submitted' }));
  logIn('1');
});
afterEach(() => {
  usePlacings.setState({}, true);
  useSession.setState({ token: null, userInfo: null });
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const stateOf = (key: string) => usePlacings.getState()[key]?.state;
const pending = () => Object.keys(stored).filter((name) => name.startsWith('pendingOrder@'));
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** What a reload or another tab begins with: storage alone. */
const reload = () => usePlacings.setState({}, true);
/** What a look for unknown orders finds. Code that it loads comes by the real clock. */
async function found() {
  let isOver = false;
  const asked = findUnknown().finally(() => {
    isOver = true;
  });
  for (; !isOver; await new Promise((turn) => realTurn(turn))) await after(1_000);
  return (await asked).map(({ state }) => state);
}

test('an order is stored from its tap until its answer', async () => {
  const arrive = answerLater();
  const key = place(WISH, MIN_DELAY_MS);
  expect(stateOf(key)).toBe('sending');
  await after(100);
  expect(pending()).toEqual([`pendingOrder@1@${key}`]);
  arrive(taken(requests[0] as Request));
  await after(100);
  expect([stateOf(key), pending()]).toEqual(['placed', []]);
});

test('an order whose answer is lost is sent again as it was', async () => {
  answers = [() => 'lost', taken];
  const key = place(WISH, MIN_DELAY_MS);
  await after(5_000);
  expect(stateOf(key)).toBe('placed');
  expect(requests).toEqual([requests[0], requests[0]]);
  expect(requests[0]?.key).toBe(key);
});

test('without any answer its outcome is unknown; after a reload it is asked for by its key', async () => {
  const key = place(WISH, MIN_DELAY_MS);
  await after(5_000);
  expect([stateOf(key), requests.length, pending().length]).toEqual(['unknown', 3, 1]);
  reload();
  answers = [taken];
  expect(await found()).toEqual(['placed']);
  expect(requests.map((request) => request.key)).toEqual([key, key, key, key]);
  expect(pending()).toEqual([]);
});

test('a first refusal is the outcome while the order could not have opened', async () => {
  answers = [refusal('BALANCE_TOO_LOW')];
  const key = place(WISH, MIN_DELAY_MS);
  await after(500);
  expect([stateOf(key), requests.length, pending()]).toEqual(['refused', 1, []]);
});

test('after a lost answer no refusal before the deadline tells: the order is asked for again behind it', async () => {
  answers = [() => 'lost', refusal('RATE_LIMITED'), taken];
  const key = place(WISH, MIN_DELAY_MS);
  await after(1_000);
  expect([stateOf(key), requests.length]).toEqual(['sending', 2]);
  await after(10_000);
  expect([stateOf(key), requests.length]).toEqual(['placed', 3]);
});

test('a server that is busy behind the deadline is asked once more', async () => {
  const key = place(WISH, MIN_DELAY_MS);
  await after(10_000);
  answers = [refusal('RATE_LIMITED'), taken];
  expect(await found()).toEqual(['placed']);
  expect(requests.map((request) => request.key)).toEqual([key, key, key, key, key]);
});

test('a late refusal does not tell while the public log can’t be read, and the order stays stored', async () => {
  answers = [() => 'lost', () => 'lost', () => 'lost'];
  const key = place(WISH, MIN_DELAY_MS);
  await after(10_000);
  answers = [refusal('LATE')];
  expect(await found()).toEqual(['unknown']);
  expect([stateOf(key), requests.length, pending().length]).toEqual(['unknown', 4, 1]);
});

test('a server that is not ready tells nothing, nor does it to a reload', async () => {
  answers = [refusal('NOT_READY'), refusal('NOT_READY')];
  const key = place(WISH, MIN_DELAY_MS);
  await after(500);
  expect(stateOf(key)).toBe('unknown');
  reload();
  expect(await found()).toEqual(['unknown']);
  expect(pending()).toHaveLength(1);
  // The next look finds it in storage, not here.
  expect(stateOf(key)).toBeUndefined();
});

test('an order that another tab has told meanwhile is not asked for; one that a ticket here waits for is', async () => {
  const key = place(WISH, MIN_DELAY_MS);
  await after(5_000);
  const kept = { ...stored };
  stored = {};
  answers = [taken];
  expect(await found()).toEqual(['placed']);
  reload();
  stored = kept;
  const asked = findUnknown();
  stored = {};
  await after(60_000);
  expect(await asked).toEqual([]);
  expect(requests.map((request) => request.key)).toEqual([key, key, key, key]);
});

test('an order of a session that has ended is never asked for in another customer’s', async () => {
  const arrive = answerLater();
  place(WISH, MIN_DELAY_MS);
  await after(100);
  endSession();
  logIn('2');
  arrive(taken(requests[0] as Request));
  expect(await found()).toEqual([]);
  expect([usePlacings.getState(), requests.length]).toEqual([{}, 1]);
  logIn('1');
  answers = [taken];
  expect(await found()).toEqual(['placed']);
});

const SHOWN = { price: '100', payoutRate: 0.8 };
const offer = { placement: WISH, shown: SHOWN, delayMs: MIN_DELAY_MS };
const isArmed = (ticket: OpenTicket) => ticket.getState().agreed !== null;

test('two taps send one order, and further ones none; while its outcome is unknown a tap asks for the same one', async () => {
  const ticket = openTicket('BTC/USDT', 'up');
  tap(ticket, offer);
  expect([isArmed(ticket), ticket.getState().key]).toEqual([true, null]);
  for (let taps = 0; taps < 3; taps += 1) tap(ticket, offer);
  await after(5_000);
  const key = ticket.getState().key as string;
  expect([isArmed(ticket), stateOf(key), new Set(requests.map((request) => request.key))]).toEqual([
    false,
    'unknown',
    new Set([key]),
  ]);
  answers = [taken];
  tap(ticket, { ...offer, placement: { ...WISH, amount: '90' } });
  expect(stateOf(key)).toBe('sending');
  await after(5_000);
  expect([stateOf(key), requests.at(-1)]).toEqual(['placed', requests[0]]);
});

test('an armed ticket is disarmed by other fields, another payout rate, and a price that has moved by more than a thousandth', () => {
  const ticket = openTicket('BTC/USDT', 'up');
  const disarmedBy = (changed: Partial<typeof offer>) => {
    tap(ticket, offer);
    disarmIfChanged(ticket, { ...offer, ...changed });
    const told = isArmed(ticket) ? 'armed' : ticket.getState().fault;
    ticket.setState({ agreed: null });
    return told;
  };
  expect(disarmedBy({})).toBe('armed');
  expect(disarmedBy({ shown: { ...SHOWN, price: '100.1' } })).toBe('armed');
  expect(disarmedBy({ shown: { ...SHOWN, price: '100.2' } })).toEqual({
    id: 'ticket.priceMoved',
    values: { from: '100', to: '100.2' },
  });
  expect(disarmedBy({ shown: { ...SHOWN, payoutRate: 0.7 } })).toEqual({
    id: 'ticket.rateMoved',
    values: { from: '80%', to: '70%' },
  });
  expect(disarmedBy({ placement: { ...WISH, amount: '61' } })).toBeNull();
});

test('no further order is sent while twenty have no outcome', async () => {
  for (let count = 0; count < 20; count += 1) place(WISH, MIN_DELAY_MS);
  await after(10);
  const ticket = openTicket('BTC/USDT', 'up');
  tap(ticket, offer);
  tap(ticket, offer);
  expect(ticket.getState()).toMatchObject({ key: null, agreed: null, fault: { id: 'ticket.manyUnknown' } });
  expect(pending()).toHaveLength(20);
});
