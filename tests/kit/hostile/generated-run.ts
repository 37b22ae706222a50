import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Api, type Customer, newKey, openSymbol, register } from '../clients/api.ts';
import { seen } from '../waiting/until.ts';
import { Random } from './random.ts';
import {
  brokenRequest,
  type Known,
  type MadeRequest,
  mutatedRequest,
  type OperationToTry,
  operationsOf,
  plainRequest,
  validRequest,
} from './request-generator.ts';

/** Operations that end sessions, change credentials or restrict the customer run with a customer of their own. */
const SPENDS_A_CUSTOMER = new Set([
  'logout',
  'setPassword',
  'recover',
  'endSession',
  'closeAccount',
  'setLimit',
  'takeBreak',
  'selfExclude',
]);

/** These need an action of staff first; the office's journeys test them. */
const NEEDS_STAFF = new Set([
  'withdrawSubmit',
  'withdrawDetail',
  'withdrawCancel',
  'profitTransferIn',
  'profitTransferOut',
]);
/** These need an authenticator; the journey of second factors tests them. */
const NEEDS_DEVICE = new Set([
  'passkeyOptions',
  'reauthOptions',
  'takeBack',
  'takeBackOptions',
  'claimStatus',
  'objectToClaim',
  'confirmTotp',
  'confirmPasskey',
  'removeFactor',
]);
/** Only a witness with a key that the operator configured can do this; the tests of witnesses cover it. */
const NEEDS_WITNESS = new Set(['transparencyCosign']);
/** Ready only when an order has settled, a minute later: the tests of receipts request it in every form. */
const NEEDS_TIME = new Set(['orderReceipt']);
const canBeDone = (id: string): boolean =>
  !NEEDS_STAFF.has(id) && !NEEDS_DEVICE.has(id) && !NEEDS_WITNESS.has(id) && !NEEDS_TIME.has(id);
/** Operations whose `id` comes from another operation's answer. */
const ID_OF: Readonly<Record<string, string>> = {
  setBank: 'setBank',
  removeBank: 'setBank',
  alertRemove: 'alertAdd',
  newsDetail: 'newsList',
  rechargeDetail: 'rechargeSubmit',
  rechargeCancel: 'rechargeSubmit',
};

const MAKERS = {
  plain: plainRequest,
  valid: validRequest,
  mutated: mutatedRequest,
  broken: (operation: OperationToTry, _known: Known, from: Random) => brokenRequest(operation, from),
} as const;
/** Mutations twice: there are more ways to be wrong. */
const KINDS = ['valid', 'mutated', 'mutated', 'broken'] as const;
/** Number of values remembered per field. */
const REMEMBERED = 20;

export interface Counts {
  done: number;
  refused: number;
  readonly byStatus: Map<number, number>;
}

/**
 * A client that generates its requests from the document and reuses answered values in later requests: ids, cursors, symbols.
 * {@link Api} checks every answer against the document.
 */
export class GeneratedRun {
  readonly api: Api;
  readonly symbol: string;
  readonly customer: Customer;
  readonly counts: Counts = { done: 0, refused: 0, byStatus: new Map() };
  readonly #seed: number;
  readonly #random: Random;
  readonly #learnt = new Map<string, string[]>();

  private constructor(parts: { api: Api; symbol: string; customer: Customer; seed: number }) {
    this.api = parts.api;
    this.symbol = parts.symbol;
    this.customer = parts.customer;
    this.#seed = parts.seed;
    this.#random = new Random(parts.seed);
  }

  /** Registers a customer with an order, on a server that is ready. */
  static async open(origin: string, seed: number): Promise<GeneratedRun> {
    const api = await Api.open(origin);
    const symbol = await openSymbol(api);
    const run = new GeneratedRun({ api, symbol, customer: await register(api), seed });
    await run.#firstOrder();
    return run;
  }

  /** Sends `requests` requests to each operation; the first is plain and must succeed. */
  async tryEach(requests: number): Promise<void> {
    for (const operation of operationsOf(this.api.document)) {
      const spends = SPENDS_A_CUSTOMER.has(operation.id);
      // These requests may end the session; every fourth gets a new customer, so that valid requests can succeed.
      let as = spends ? await register(this.api) : this.customer;
      for (let n = 0; n < requests; n += 1) {
        if (spends && n % 4 === 0) as = await register(this.api);
        await this.#try(operation, n === 0 ? 'plain' : this.#random.of(KINDS), as);
      }
    }
  }

  /** Sends requests to any operation in any order, each with values from earlier answers. */
  async wander(requests: number): Promise<void> {
    const operations = operationsOf(this.api.document);
    let passing = await register(this.api);
    for (let n = 0; n < requests; n += 1) {
      const operation = this.#random.of(operations);
      if (n % 40 === 0) passing = await register(this.api);
      await this.#try(
        operation,
        this.#random.of(KINDS),
        SPENDS_A_CUSTOMER.has(operation.id) ? passing : this.customer,
      );
    }
  }

  /** Checks that the customer can still trade after all requests. */
  async stillTrades(): Promise<void> {
    const { token } = this.customer;
    await this.api.post('fund/resetDemo', {}, { token, key: newKey() });
    const order = { symbol: this.symbol, direction: 'down', minutes: '1', amount: '10', asset: 'DEMO' };
    const { body } = await this.api.post('order/create', order, { token, key: newKey() });
    expect(body.error).toBeUndefined();
  }

  /** Operations that have never succeeded. */
  notReached(): string[] {
    return operationsOf(this.api.document)
      .map(({ id }) => id)
      .filter((id) => canBeDone(id) && !this.api.answered.get(id)?.has('done'));
  }

  async #try(operation: OperationToTry, kind: keyof typeof MAKERS, as: Customer): Promise<void> {
    const request = MAKERS[kind](operation, this.#known(operation, as), this.#random);
    let { status, body } = await this.#send(operation, request, as);
    // An order is proved by a later step of the log.
    for (let attempt = 0; kind === 'plain' && body.error === 'LOGGED_SOON' && attempt < 40; attempt += 1) {
      await sleep(500);
      ({ status, body } = await this.#send(operation, request, as));
    }
    const { counts } = this;
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
    counts[body.code === 1 ? 'done' : 'refused'] += 1;
    if (kind === 'plain' && canBeDone(operation.id))
      expect([operation.id, body.code, body.error]).toEqual([operation.id, 1, undefined]);
    if (body.code !== 1) return;
    this.#learn(body.data);
    if (operation.id === 'rechargeChannels') {
      const channel = body.data.find(({ asset }: { asset: string }) => asset === 'USDT');
      this.#remember('channel', channel.id);
    }
    const [article] = operation.id === 'newsList' ? body.data.items : [];
    if (article) this.#remember('newsList', article.id);
    else if (Object.values(ID_OF).includes(operation.id) && body.data.id)
      this.#remember(operation.id, body.data.id);
  }

  async #send(operation: OperationToTry, request: MadeRequest, as: Customer) {
    const isLoggedIn = request.isValid || this.#random.isLikely(0.9);
    const call = {
      ...request.call,
      ...(isLoggedIn ? { token: as.token } : {}),
      ...(operation.takesKey && this.#random.isLikely(0.8) ? { key: newKey() } : {}),
    };
    try {
      return await this.api.send(operation.method, request.address, call);
    } catch (error) {
      const what = `${operation.id} (${request.description}) ${request.address.slice(0, 300)} ${String(request.call.body).slice(0, 500)}`;
      throw new Error(`seed ${this.#seed}: ${what}\n${error}`);
    }
  }

  /** The values that this client knows, by the field that takes them. */
  #known(operation: OperationToTry, as: Customer): Known {
    const word = () => `g${Math.floor(this.#random.next() * 1e15).toString(36)}`.slice(0, 18);
    const learnt = (field: string) => this.#learnt.get(field) ?? [];
    const ids = learnt('id');
    return {
      symbol: [this.symbol, ...learnt('symbol')],
      asset: ['DEMO', ...learnt('asset')],
      minutes: operation.id === 'setReminder' ? ['60'] : ['1', '3'],
      channelId: learnt('channel'),
      id: learnt(ID_OF[operation.id] ?? 'id'),
      account: operation.id === 'register' ? [word()] : [as.account],
      password: /register|setPassword|recover/.test(operation.id) ? [`new ${word()}`] : [as.password],
      oldPassword: [as.password],
      recoveryCode: as.recoveryCodes,
      cursor: [...ids, ...learnt('nextCursor')],
      size: ['1', '2', '50', ...learnt('size')],
      index: ['0', '1'],
      fromSize: ['0', '1'],
      seenSize: learnt('size'),
      seenRoot: learnt('root'),
    };
  }

  /** Remembers values of an answer whose names requests use too. */
  #learn(data: unknown): void {
    if (Array.isArray(data)) for (const item of data.slice(0, 5)) this.#learn(item);
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return;
    for (const [name, value] of Object.entries(data)) {
      if (typeof value === 'object') this.#learn(value);
      else if (LEARNT.has(name) && value !== '') this.#remember(name, String(value));
    }
  }

  #remember(name: string, value: string): void {
    const values = this.#learnt.get(name) ?? [];
    if (values.includes(value)) return;
    this.#learnt.set(name, [value, ...values].slice(0, REMEMBERED));
  }

  async #firstOrder(): Promise<void> {
    const order = { symbol: this.symbol, direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };
    const place = async () => {
      const { body } = await this.api.post('order/create', order, {
        token: this.customer.token,
        key: newKey(),
      });
      return body.code === 1 && body.data;
    };
    this.#learn(await seen(place, { withinMs: 45_000, everyMs: 100, what: 'an order that is taken' }));
  }
}

const LEARNT = new Set(['id', 'symbol', 'asset', 'nextCursor', 'size', 'root']);
