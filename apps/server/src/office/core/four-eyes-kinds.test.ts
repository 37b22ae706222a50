import { randomBytes } from 'node:crypto';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import {
  approveRequest,
  ask,
  contentOf,
  credit,
  isNameOfRefusal,
  newPayee,
  USDT,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { newProduct } from '@fairtick/kit/people/new-product.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import type { StaffRole } from '@fairtick/protocol/office';
import { STAFF_ROLES } from '@fairtick/protocol/office';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Promise 16, for every decision by two people except deposits and withdrawals (money/withdrawals/four-eyes.test.ts has those):
 * each kind in each state, with everybody who might approve it.
 */
const HOUR_MS = 3_600_000;
let customer: string;

interface Kind {
  readonly edit: StaffRole;
  readonly approve: StaffRole;
  /** Prepares a new proposal of this kind. */
  readonly propose: (by: string) => Promise<string>;
  readonly agree: (by: string, id: string) => Promise<unknown>;
  /** Refuses the proposal, as its editor may. */
  readonly refuse?: (by: string, id: string) => Promise<unknown>;
  /** Refusal code for a proposal that is decided or refused. */
  readonly closed: string;
  /** Refusal code for an id that does not exist; ROLE_MISSING unless the approval checks something else first. */
  readonly nobody?: string;
}

const call = (name: string, ...values: readonly unknown[]) => ask(house.db, name, values);
let turn = 0;
/** A new number each time, so that no proposal repeats another. */
const next = () => (turn += 1);

/** Returns the id; throws for a refusal, because the tables below do not expect one at this step. */
const idOf = (answer: unknown): string => {
  if (typeof answer === 'string' && /^\d+$/.test(answer)) return answer;
  throw new Error(`not prepared: ${JSON.stringify(answer)}`);
};

type RulesKind = 'payout_table' | 'feed_rules' | 'product_end';

async function rulesChange(kind: RulesKind, by: string, patch: object): Promise<string> {
  const { id } = await call(
    'rules_propose',
    by,
    kind,
    START_MS + 3 * HOUR_MS,
    `change ${next()}`,
    [house.product('EUR/USD').id],
    JSON.stringify(patch),
  );
  return idOf(id);
}

/** Approves the present content of a proposal; `secret` is for recoveries. */
const agree =
  (kind: string, secret: string | null = null) =>
  async (by: string, id: string): Promise<unknown> => {
    const { rows } = await house.db.owner.query('select content_hash from proposals where id = $1', [id]);
    return call('proposal_approve', by, [kind], id, rows[0].content_hash, secret);
  };
const refuse = (kind: string) => (by: string, id: string) => call('proposal_refuse', by, [kind], id);

const proposalOf = async (table: string, column: string, id: string): Promise<string> =>
  (await house.db.owner.query(`select ${column} as proposal from ${table} where id = $1`, [id])).rows[0]
    .proposal;

/**
 * A product may have only one change of rules later than its last logged one, so the tests use this change in turn, and
 * none is ever logged.
 */
const rulesKind = (kind: RulesKind, patch: object): Kind => ({
  edit: 'catalogue',
  approve: 'approver',
  propose: (by) => rulesChange(kind, by, patch),
  agree: agree(kind),
  refuse: refuse(kind),
  closed: 'CHANGE_NOT_FOUND',
});

async function openRecovery(by: string): Promise<string> {
  const { rows } = await house.db.owner.query(
    `insert into recovery_requests (account, sealed, address)
     select account, '\\x0100000001', '127.0.0.1' from customers where id = $1 returning id`,
    [customer],
  );
  const { id } = rows[0];
  expect(await call('recovery_propose', by, id, 'a video call, and the photo', randomBytes(32), false)).toBe(
    '',
  );
  return proposalOf('recovery_requests', 'proposal_id', id);
}

/** Records a view first, because approving without one is refused. */
async function agreeToRecovery(by: string, id: string): Promise<unknown> {
  await house.db.owner.query(
    `insert into personal_data_views (staff_id, customer_id, what, subject_id)
     select s.id, $2, 'recovery', r.id from staff s, recovery_requests r where s.id = $1 and r.proposal_id = $3`,
    [by, customer, id],
  );
  return agree('account_recovery', randomBytes(32).toString('hex'))(by, id);
}

/** A withdrawal that somebody took for paying. */
async function unknownPayment(): Promise<string> {
  const id = await approvedWithdrawal();
  await call('withdrawal_send', await installStaff(house.db.owner, 'cashier'), id, 'hand');
  return id;
}

/** Prepares a batch with one withdrawal. */
async function batchOf(by: string): Promise<string> {
  const withdrawal = await approvedWithdrawal();
  await house.db.chain.query(`select payout_account_look('tron', 'T-hot', 0)`);
  const terms = { note: 'a batch', kind: 'evm', chain: 'tron', network: 'TRC20', from: 'T-hot' };
  const outputs = [{ withdrawal, to: 'T-one', contract: 'T-token', decimals: 6 }];
  return idOf((await call('payout_prepare', by, JSON.stringify(terms), JSON.stringify(outputs))).id);
}

async function approvedWithdrawal(): Promise<string> {
  const { db } = house;
  const [cashier, approver] = [
    await installStaff(db.owner, 'cashier'),
    await installStaff(db.owner, 'approver'),
  ];
  const id = await withdrawal(db, await newPayee(db, usdt(20)), usdt(20));
  await call('withdrawal_propose', cashier, id, '');
  await approveRequest(db, 'withdrawal', [approver, id, await contentOf(db, 'withdrawal', id)]);
  return id;
}

/** Proposes what a line of a statement was, of more than one person may say alone. */
async function explainLine(by: string): Promise<string> {
  const { owner } = house.db;
  const [hash, amount] = [randomBytes(32), usdt(5_001).toString()];
  const line = [[hash], [null], [false], ['2026-01-01'], [amount], [`line ${next()}`], ['']];
  expect(await call('statement_import', await installStaff(owner, 'cashier'), USDT, hash, ...line)).toBe(1);
  const { rows } = await owner.query('select id from statement_lines where line_hash = $1', [hash]);
  await call('statement_explain', by, rows[0].id, 'interest', 'as the bank says');
  const found = await owner.query('select id from proposals where kind = $1 and subject = $2', [
    'statement_line',
    rows[0].id,
  ]);
  return found.rows[0].id;
}

/** Some kinds allow one open proposal at a time, so those of earlier tests are refused first. */
async function setAside(kind: string, by: string): Promise<void> {
  const { rows } = await house.db.owner.query(
    `select id from proposals where kind = $1 and state = 'proposed'`,
    [kind],
  );
  for (const { id } of rows) expect(await refuse(kind)(by, id)).toBe('');
}

const channelTerms = () =>
  JSON.stringify({
    asset_id: USDT,
    network: 'TRC20',
    address: `DEMO-${next()}`,
    min: 10_000_000,
    max: 20_000_000,
    presets: [],
    fee: 0,
    is_enabled: true,
  });

const LAST_DAY = {
  zone: 'UTC',
  windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00' }],
  holidays: [],
  until: new Date(START_MS).toISOString().slice(0, 10),
};

const KINDS: Readonly<Record<string, Kind>> = {
  staff_change: {
    edit: 'administrator',
    approve: 'administrator',
    propose: async (by) =>
      idOf(
        await call('staff_propose', by, 'grant', await installStaff(house.db.owner, 'support'), 'content'),
      ),
    agree: agree('staff_change'),
    refuse: refuse('staff_change'),
    closed: 'CHANGE_NOT_FOUND',
  },
  correction: {
    edit: 'cashier',
    approve: 'approver',
    propose: async (by) => idOf(await call('correction_propose', by, customer, USDT, next(), 'a wrong sum')),
    agree: agree('correction'),
    refuse: refuse('correction'),
    closed: 'REQUEST_CLOSED',
  },
  channel: {
    edit: 'cashier',
    approve: 'approver',
    // Proposes a new channel, because an existing one may have only one open change.
    propose: async (by) => idOf(await call('channel_propose', by, null, channelTerms())),
    agree: agree('channel'),
    refuse: refuse('channel'),
    closed: 'REQUEST_CLOSED',
  },
  withdrawal_terms: {
    edit: 'cashier',
    approve: 'approver',
    propose: async (by) => {
      await setAside('withdrawal_terms', by);
      const max = 50_000_000_000 + next();
      return idOf(await call('withdrawal_terms_propose', by, USDT, 10_000_000, max, 1_000_000));
    },
    agree: agree('withdrawal_terms'),
    refuse: refuse('withdrawal_terms'),
    closed: 'REQUEST_CLOSED',
  },
  house_capital: {
    edit: 'cashier',
    approve: 'approver',
    propose: async (by) =>
      idOf(await call('house_capital_propose', by, USDT, 1_000_000, `FT-${next()}`, 'share capital')),
    agree: agree('house_capital'),
    refuse: refuse('house_capital'),
    closed: 'REQUEST_CLOSED',
  },
  earning_rate: {
    edit: 'catalogue',
    approve: 'approver',
    propose: async (by) => {
      await setAside('earning_rate', by);
      const { rows } = await house.db.owner.query(
        `select (greatest(max(from_day), earning_today() + 1) + 1)::text as day from earning_rates where asset_id = $1`,
        [USDT],
      );
      return idOf(
        await call('earning_rate_propose', by, USDT, 10_000 + next(), rows[0].day, 'a better rate'),
      );
    },
    agree: agree('earning_rate'),
    refuse: refuse('earning_rate'),
    closed: 'REQUEST_CLOSED',
  },
  payout_table: rulesKind('payout_table', {
    cycles: [
      { minutes: 1, payoutRate: '0.81' },
      { minutes: 60, payoutRate: '0.93' },
    ],
  }),
  feed_rules: rulesKind('feed_rules', { quietMs: 4_321 }),
  product_end: rulesKind('product_end', { schedule: LAST_DAY }),
  product_new: {
    edit: 'catalogue',
    approve: 'approver',
    propose: async (by) => {
      const product = JSON.stringify(newProduct(`NEW${next()}/USDT`));
      return idOf((await call('product_propose', by, 'asked for', product, '{}')).id);
    },
    agree: agree('product_new'),
    refuse: refuse('product_new'),
    closed: 'CHANGE_NOT_FOUND',
  },
  halt_lift: {
    edit: 'catalogue',
    approve: 'approver',
    propose: async (by) => {
      const { rows } = await house.db.owner.query('select id from trading_halts where lifted_at is null');
      const id = rows[0]?.id ?? idOf(await call('trading_halt', by, 'a source lies'));
      expect(await call('trading_propose_lift', by, id, `it is gone ${next()}`)).toBeInstanceOf(Buffer);
      return proposalOf('trading_halts', 'lift_id', id);
    },
    agree: agree('halt_lift'),
    closed: 'CHANGE_NOT_FOUND',
  },
  payout_end: {
    edit: 'cashier',
    approve: 'approver',
    propose: async (by) =>
      idOf(await call('payout_end_propose', by, await unknownPayment(), true, `reference ${next()}`, 'seen')),
    agree: agree('payout_end'),
    refuse: refuse('payout_end'),
    closed: 'REQUEST_CLOSED',
  },
  payout_batch: {
    edit: 'cashier',
    approve: 'approver',
    propose: batchOf,
    agree: agree('payout_batch'),
    refuse: refuse('payout_batch'),
    closed: 'REQUEST_CLOSED',
  },
  freeze: {
    edit: 'verification',
    approve: 'approver',
    propose: async (by) => {
      const { id } = await newPayee(house.db);
      return idOf(await call('freeze_propose', by, id, 'orders', 30, 'review', `note ${next()}`));
    },
    agree: agree('freeze'),
    refuse: refuse('freeze'),
    closed: 'REQUEST_CLOSED',
  },
  legal_hold: {
    edit: 'cashier',
    approve: 'approver',
    propose: async (by) => {
      const { id } = await newPayee(house.db, usdt(20));
      return idOf(
        await call('legal_hold_propose', by, id, USDT, usdt(20), 'a court', `order ${next()}`, 'a note'),
      );
    },
    agree: agree('legal_hold'),
    refuse: refuse('legal_hold'),
    closed: 'REQUEST_CLOSED',
  },
  flag_rule: {
    edit: 'verification',
    approve: 'approver',
    // A rule has one open proposal, so each test ends the one before.
    propose: async (by) => {
      await house.db.owner.query(
        `update proposals set state = 'refused', decided_by = proposed_by, decided_at = now() where kind = 'flag_rule' and state = 'proposed'`,
      );
      return idOf(await call('flag_rule_propose', by, 'pass_through', true, 80, 30 + next(), null, 'a note'));
    },
    agree: agree('flag_rule'),
    refuse: refuse('flag_rule'),
    closed: 'REQUEST_CLOSED',
  },
  screening: {
    edit: 'verification',
    approve: 'approver',
    propose: async (by) => {
      const { id } = await newPayee(house.db);
      const { rows } = await house.db.owner.query<{ id: string }>(
        `insert into screening_hits (customer_id, kind, subject_id, list, reference, listed, score)
         values ($1, 'sender', $2, 'sdn', '1', 'somebody', 100) returning id`,
        [id, next()],
      );
      return idOf(await call('screening_propose', by, rows[0]?.id, 'clear', 'a note'));
    },
    agree: agree('screening'),
    refuse: refuse('screening'),
    closed: 'REQUEST_CLOSED',
  },
  statement_line: {
    edit: 'cashier',
    approve: 'approver',
    propose: explainLine,
    agree: agree('statement_line'),
    refuse: refuse('statement_line'),
    closed: 'REQUEST_CLOSED',
  },
  account_recovery: {
    edit: 'support',
    approve: 'verification',
    propose: openRecovery,
    agree: agreeToRecovery,
    refuse: async (by, id) => {
      const request = await house.db.owner.query('select id from recovery_requests where proposal_id = $1', [
        id,
      ]);
      return call('recovery_refuse', by, request.rows[0].id, 'not_proven');
    },
    closed: 'RECOVERY_CLOSED',
    // An unknown member of staff fails first because they have not viewed the request; the role is checked later.
    nobody: 'REVIEW_UNSEEN',
  },
};

/** Everybody who might approve a kind: created anew for each kind and used for no other. */
interface People {
  readonly editor: string;
  /** Those who may not approve: name, id, and the refusal of each. */
  readonly refused: readonly (readonly [string, string, string])[];
  readonly approver: string;
}

async function peopleOf({ edit, approve, nobody = 'ROLE_MISSING' }: Kind): Promise<People> {
  const { owner } = house.db;
  const give = (id: string, role: StaffRole) =>
    owner.query(
      `insert into staff_roles (staff_id, role, usable_from) values ($1, $2, now()) on conflict do nothing`,
      [id, role],
    );
  const editor = await installStaff(owner, edit);
  // Gives the editor the approving role too, although the office would refuse that.
  await give(editor, approve);
  const second = await installStaff(owner, approve);
  await owner.query('update staff set person = (select person from staff where id = $2) where id = $1', [
    second,
    editor,
  ]);
  const today = await installStaff(owner, approve);
  await owner.query(`update staff_roles set usable_from = now() + interval '1 hour' where staff_id = $1`, [
    today,
  ]);
  const home = await installStaff(owner, approve);
  await owner.query('update staff set is_active = false where id = $1', [home]);
  const wrong: (readonly [string, string, string])[] = [];
  for (const role of STAFF_ROLES) {
    if (role !== approve) wrong.push([role, await installStaff(owner, role), 'ROLE_MISSING']);
  }
  return {
    editor,
    refused: [
      ['the editor', editor, 'OWN_EDIT'],
      ['the editor’s second account', second, 'OWN_EDIT'],
      ['who may approve from tomorrow', today, 'APPROVER_TOO_NEW'],
      ['who was sent home', home, 'ROLE_MISSING'],
      ['nobody', '999999', nobody],
      ...wrong,
    ],
    approver: await installStaff(owner, approve),
  };
}

const house = forFile(() => House.open(new ManualFeed()));
beforeAll(async () => {
  customer = String(await house.customer());
  await credit(house.db, customer, usdt(100));
});
afterAll(async () => {
  expect((await house.db.owner.query('select * from audit_verify()')).rows).toEqual([]);
});

test('every kind in the database is tested, here or in the tests of deposits and withdrawals', async () => {
  const { rows } = await house.db.server.query('select kind from four_eyes_rules');
  const money = ['deposit', 'deposit_differing', 'withdrawal'];
  expect(rows.map(({ kind }) => kind).sort()).toEqual([...Object.keys(KINDS), ...money].sort());
});

test('a proposal is decided as its own kind only, and a lift and a recovery have no refusal of their own', async () => {
  const { owner } = house.db;
  const [cashier, approver] = [await installStaff(owner, 'cashier'), await installStaff(owner, 'approver')];
  const id = await KINDS.correction!.propose(cashier);
  for (const decide of ['proposal_approve', 'proposal_refuse'])
    expect(await call(decide, approver, ['channel', 'deposit'], id)).toBe('REQUEST_NOT_FOUND');
  for (const kind of ['halt_lift', 'account_recovery']) {
    const proposed = await KINDS[kind]!.propose(await installStaff(owner, KINDS[kind]!.edit));
    expect(await refuse(kind)(await installStaff(owner, KINDS[kind]!.approve), proposed)).toBe('NO_RULE');
  }
});

test('a content that is changed afterwards has none of its approvals', async () => {
  const { owner } = house.db;
  const cashier = await installStaff(owner, 'cashier');
  const id = await KINDS.channel!.propose(cashier);
  const hash = async () =>
    (await owner.query('select content_hash from proposals where id = $1', [id])).rows[0].content_hash;
  await call('approve', await installStaff(owner, 'approver'), 'channel', id, await hash());
  expect(await call('demand_approvals', 'channel', id, await hash())).toBe('');
  await owner.query(`update proposals set content = content || '{"channel": 1}' where id = $1`, [id]);
  expect(await call('demand_approvals', 'channel', id, await hash())).toBe('APPROVALS_MISSING');
  expect(await refuse('channel')(cashier, id)).toBe('');
});

describe.each(Object.entries(KINDS))('%s', (name, kind) => {
  test('is approved only by another person with the right to it, and only once', async () => {
    const people = await peopleOf(kind);
    const id = await kind.propose(people.editor);
    for (const [who, staff, code] of people.refused)
      expect([who, await kind.agree(staff, id)]).toEqual([who, code]);
    expect(await kind.agree(people.approver, id)).not.toSatisfy(isNameOfRefusal);
    for (const [who, staff] of [...people.refused, ['the approver', people.approver, '']] as const)
      expect([who, await kind.agree(staff, id)]).toEqual([who, kind.closed]);
    const { rows } = await house.db.owner.query(
      `select count(*)::int as own from approvals a
       join content_edits e on (e.kind, e.subject_id) = (a.kind, a.subject_id) where e.kind = $1 and e.person = a.person`,
      [name],
    );
    expect(rows[0].own).toBe(0);
  });

  const { refuse } = kind;
  // A halt can't be refused; it lasts until it is lifted.
  if (refuse)
    test('can’t be approved after it is set aside', async () => {
      const people = await peopleOf(kind);
      const id = await kind.propose(people.editor);
      expect(await refuse(people.approver, id)).not.toSatisfy(isNameOfRefusal);
      for (const [who, staff] of [...people.refused, ['the approver', people.approver, '']] as const)
        expect([who, await kind.agree(staff, id)]).toEqual([who, kind.closed]);
    });

  test('is decided once by a hundred concurrent approvals', async () => {
    const people = await peopleOf(kind);
    const id = await kind.propose(people.editor);
    const approvers = [people.approver];
    while (approvers.length < 5) approvers.push(await installStaff(house.db.owner, kind.approve));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, place) => kind.agree(approvers[place % 5] as string, id)),
    );
    expect(answers.filter((answer) => !isNameOfRefusal(answer))).toHaveLength(1);
    expect(answers.filter((answer) => answer === kind.closed)).toHaveLength(99);
  });
});
